//! Norms of differences and of slices: `dist`, `renorm`.

use super::dims::Lanes;
use crate::compute::total;
use rushlight_tensor::layout::broadcast_or_fault;
use rushlight_tensor::promote::result_type;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Complex64, DType, Fault, Operand, Result, Scalar, Tensor, watch};
use rushlight_types::{Apart, Context, op, operators};

operators! {
    /// Distances.
    pub static ROWS = [
        op!("aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor", dist).out("out", crate::out::exact),
        op!("aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor", renorm).out("out", crate::out::exact).apart(Apart::PARTLY),
        op_inplace!("aten::renorm_(Tensor(a!) self, Scalar p, int dim, Scalar maxnorm) -> Tensor(a!)", renorm),
    ];
}

/// The p-norm of magnitudes.
pub fn norm(magnitudes: impl Iterator<Item = f64>, p: f64) -> f64 {
    let larger = |a: f64, b: f64| if a.is_nan() || a > b { a } else { b };
    let smaller = |a: f64, b: f64| if a.is_nan() || a < b { a } else { b };
    if p == 0.0 {
        magnitudes.filter(|m| *m != 0.0).count() as f64
    } else if p == f64::INFINITY {
        magnitudes.fold(0.0, larger)
    } else if p == f64::NEG_INFINITY {
        magnitudes.fold(f64::INFINITY, smaller)
    } else if p == 1.0 {
        total(magnitudes)
    } else if p == 2.0 {
        total(magnitudes.map(|m| m * m)).sqrt()
    } else {
        total(magnitudes.map(|m| m.powf(p))).powf(p.recip())
    }
}

/// `dist`.
fn dist(cx: &Context, a: &Tensor, b: &Tensor, p: Scalar) -> Result<Tensor> {
    let dtype = result_type(
        &[Operand::Tensor(a), Operand::Tensor(b)],
        cx.default_dtype(),
    );
    let sizes = broadcast_or_fault(a.sizes(), b.sizes())?;
    if dtype.is_integral(true) {
        return Err(Fault::not_implemented(format!(
            "norm(): input dtype should be either floating point or complex. Got {} instead.",
            dtype.class_name()
        )));
    }
    let x = a.expand_to(&sizes)?.to_vec::<Complex64>();
    let y = b.expand_to(&sizes)?.to_vec::<Complex64>();
    let pairs = x.iter().zip(&y).inspect(|_| watch::poll());
    let value = norm(pairs.map(|(x, y)| (x - y).norm()), p.to_f64());
    Ok(Tensor::scalar(Scalar::Float(value), dtype.to_real()))
}

/// `renorm`: scales the slices along a dimension whose norm is larger than allowed.
fn renorm(t: &Tensor, p: Scalar, dim: i64, maxnorm: Scalar) -> Result<Tensor> {
    if p.is_complex() {
        return Err(Fault::runtime("renorm: p must be real-valued"));
    }
    let (p, most) = (p.to_f64(), maxnorm.to_f64());
    if p <= 0.0 {
        return Err(Fault::runtime("renorm: non-positive-norm not supported"));
    }
    if most < 0.0 {
        return Err(Fault::runtime(format!(
            "renorm: expected maxnorm to be >= 0 but got {most}"
        )));
    }
    if t.rank() < 2 {
        return Err(Fault::runtime(format!(
            "renorm: input needs at least 2 dimensions, got {} dimensions",
            t.rank()
        )));
    }
    let d = wrap_dim(dim, t.rank())?;
    if t.dtype().is_integral(true) {
        return Err(Fault::not_implemented(format!(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}",
            t.dtype().class_name()
        )));
    }
    let lanes = Lanes::of(t.sizes(), d);
    let mut values = t.to_vec::<Complex64>();
    let slice = |k: usize| {
        (0..lanes.outer).flat_map(move |o| {
            let start = (o * lanes.n + k) * lanes.inner;
            watch::poll();
            start..start + lanes.inner
        })
    };
    // Norms and factors are tensors of their own, rounded to the dtype that they are computed in.
    let round = |v: f64| match t.dtype() {
        DType::F64 | DType::C128 => v,
        _ => f64::from(v as f32),
    };
    for k in 0..lanes.n {
        let size = round(norm(slice(k).map(|i| values[i].norm()), p));
        if size > most {
            let scale = round(most / (size + 1e-7));
            slice(k).for_each(|i| values[i] *= scale);
        }
    }
    Ok(Tensor::from_vec(values, t.sizes())?.to_dtype(t.dtype()))
}
