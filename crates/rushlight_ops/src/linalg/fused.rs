//! Products that carry something else along: an activation, scales of integers, weights per step.

use super::addmm::addmm;
use super::product::{check_matrices, matmul, multiply, shapes_do_not_multiply};
use crate::pointwise::steps::Steps;
use crate::reduce::sum::sum;
use rushlight_tensor::{DType, Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, arguments, op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Products with something more.
    pub static ROWS = [
        op!("aten::_addmm_activation(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1, bool use_gelu=False) -> Tensor", addmm_activation).out("out", crate::out::cast),
        op!("aten::_int_mm(Tensor self, Tensor mat2) -> Tensor", int_mm).out("out", crate::out::cast),
        op!("aten::_weight_int8pack_mm(Tensor self, Tensor mat2, Tensor scales) -> Tensor", int8_weights),
        op!("aten::_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, int unroll_dim=1) -> Tensor", trilinear).out("out", crate::out::cast),
        op!("aten::_compute_linear_combination(Tensor input, Tensor coefficients) -> Tensor", combination).out("out", crate::out::cast),
    ];
}

fn addmm_activation(
    cx: &Context,
    own: &Tensor,
    a: &Tensor,
    b: &Tensor,
    beta: Scalar,
    alpha: Scalar,
    gelu: bool,
) -> Result<Tensor> {
    let s = Steps(cx);
    let sum = addmm(own, a, b, beta, alpha)?;
    match gelu {
        true => s.gelu(&sum),
        false => s.at_least(&sum, Scalar::Int(0)),
    }
}

fn int_mm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    for (name, t) in [("self", a), ("mat2", b)] {
        if !matches!(t.dtype(), DType::I8 | DType::U8) {
            return Err(Fault::runtime(format!(
                "int_mm_out_cpu: Expected {name} dtype to be int8 or uint8 but got {}",
                t.dtype().scalar_name()
            )));
        }
    }
    check_matrices("int_mm", a, b)?;
    if a.size(1) != b.size(0) {
        let (left, right) = ([a.size(0), a.size(1)], [b.size(0), b.size(1)]);
        return Err(shapes_do_not_multiply("int_mm", left, right));
    }
    multiply("_int_mm", &a.to_dtype(DType::I32), &b.to_dtype(DType::I32))
}

/// `self` times the rows of integers, each with a scale.
fn int8_weights(cx: &Context, a: &Tensor, weights: &Tensor, scales: &Tensor) -> Result<Tensor> {
    if !a.dtype().is_float() || a.rank() != 2 || weights.rank() != 2 {
        return Err(Fault::runtime(
            "_weight_int8pack_mm : expect A to be 2D tensor of a floating point dtype.",
        ));
    }
    if weights.dtype() != DType::I8 || weights.size(1) != a.size(1) {
        return Err(Fault::runtime(
            "_weight_int8pack_mm : expect B to be int8 tensor with as many columns as A.",
        ));
    }
    if scales.rank() != 1 || scales.size(0) != weights.size(0) {
        return Err(Fault::runtime(
            "_weight_int8pack_mm : expect scale to be 1d tensor with size of B's rows",
        ));
    }
    let wide = match a.dtype() {
        DType::F64 => DType::F64,
        _ => DType::F32,
    };
    let weights = weights.to_dtype(wide).transpose(0, 1)?;
    let product = matmul(&a.to_dtype(wide), &weights)?;
    Ok(Steps(cx)
        .mul(&product, &scales.to_dtype(wide))?
        .to_dtype(a.dtype()))
}

arguments! {
    /// The dimensions of the product that each of its factors does not have.
    struct Expanded {
        a: Ints,
        b: Ints,
        c: Ints,
    }
}

fn trilinear(
    cx: &Context,
    a: &Tensor,
    b: &Tensor,
    c: &Tensor,
    missing: Expanded,
    dims: Ints,
    _unroll: i64,
) -> Result<Tensor> {
    let rank = a.rank() + missing.a.len();
    let expanded = |t: &Tensor, dims: &Ints| -> Result<Tensor> {
        let mut all = rushlight_tensor::memory::filled(rank, false);
        for dim in dims {
            let at = rushlight_tensor::view::wrap_dim(*dim, rank)?;
            *all.get_mut(at)
                .ok_or_else(|| Fault::index("a number has no dimensions to expand"))? = true;
        }
        let new = (0..rank).filter(|d| all.get(*d) == Some(&true));
        new.into_iter()
            .try_fold(t.clone(), |t, d| t.unsqueeze(d as i64))
    };
    let s = Steps(cx);
    let (a, b, c) = (
        expanded(a, &missing.a)?,
        expanded(b, &missing.b)?,
        expanded(c, &missing.c)?,
    );
    let product = s.mul(&s.mul(&a, &b)?, &c)?;
    match dims.is_empty() {
        true => Ok(product),
        false => sum(&product, Some(dims), false, None),
    }
}

/// Sums of the parts of `input` along its first dimension, a row of coefficients for each.
fn combination(input: &Tensor, coefficients: &Tensor) -> Result<Tensor> {
    if input.rank() == 0 || coefficients.rank() != 2 || coefficients.size(1) != input.size(0) {
        return Err(Fault::runtime(
            "_compute_linear_combination: one coefficient is needed for each part",
        ));
    }
    let inner: usize = input.sizes()[1..].iter().product();
    let flat = input.reshape_to(&[input.size(0), inner])?;
    let mut sizes = rushlight_tensor::Dims::from_slice(input.sizes());
    sizes[0] = coefficients.size(0);
    matmul(&coefficients.to_dtype(input.dtype()), &flat)?.reshape_to(&sizes)
}
