//! Norms of differences and of slices: `dist`, `renorm`.

use super::dims::Lanes;
use crate::compute::{Wide, compute, dense, total};
use crate::linalg::norm::vector_norm;
use rushlight_kernels::linalg::norm::distances;
use rushlight_kernels::pointwise::arithmetic::check_no_bools;
use rushlight_tensor::layout::broadcast_or_fault;
use rushlight_tensor::promote::result_type;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Buffer, Complex64, DType, Fault, Operand, Result, Scalar, Tensor, watch};
use rushlight_types::{Apart, Context, op, operators};
use smallvec::SmallVec;

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
    check_no_bools(&[a.into(), b.into()])?;
    if dtype.is_integral(true) {
        return Err(Fault::not_implemented(format!(
            "norm(): input dtype should be either floating point or complex. Got {} instead.",
            dtype.class_name()
        )));
    }
    if matches!(dtype, DType::F32 | DType::F64) {
        let (x, y) = (a.expand_to(&sizes)?, b.expand_to(&sizes)?);
        return compute!(dtype, "dist", W => {
            let (x, y) = (dense::<W>(&x), dense::<W>(&y));
            let mut out = [W::ZERO];
            distances(&x.data::<W>(), &y.data::<W>(), p.to_f64(), &mut out);
            Ok(Tensor::scalar(Scalar::Float(out[0].f64()), dtype))
        });
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
    if most.is_nan() || most < 0.0 {
        return Err(Fault::runtime(format!(
            "renorm: expected maxnorm to be >= 0 but got {}",
            rushlight_types::general_text(most, 6)
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
    if matches!(t.dtype(), DType::F32 | DType::F64) {
        return real_renorm(t, p, d, most);
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

/// The same for the floats that norms are computed in.
fn real_renorm(t: &Tensor, p: f64, d: usize, most: f64) -> Result<Tensor> {
    let others: SmallVec<[i64; 6]> = (0..t.rank() as i64).filter(|k| *k != d as i64).collect();
    let sizes = vector_norm(t, Scalar::Float(p), Some(others), true, None)?;
    compute!(t.dtype(), "renorm", W => {
        let sizes = sizes.data::<W>();
        let factors = sizes.iter().map(|size| match size.f64() > most {
            true => W::of(most / (size.f64() + 1e-7)),
            false => W::ONE,
        });
        let factors: Buffer<W> = factors.collect();
        let out = dense::<W>(t);
        let (count, inner) = (t.size(d), t.sizes()[d + 1..].iter().product::<usize>());
        let mut values = Buffer::copy_of(&out.data::<W>());
        for (at, run) in values.chunks_exact_mut(inner.max(1)).enumerate() {
            watch::poll();
            let factor = factors[at % count];
            run.iter_mut().for_each(|v| *v *= factor);
        }
        Ok(values.into_tensor(t.sizes()))
    })
}
