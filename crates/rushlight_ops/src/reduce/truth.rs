//! Reductions to truth and counts: `all`, `any`, `count_nonzero`, `equal`, `allclose`, `is_nonzero`.

use super::dims::{self, Ints, Mask, listed, mask};
use super::fold::reduce;
use super::sum::sum_masked;
use crate::compute::{Wide, compute};
use rushlight_kernels::reduce::truth::Truth;
use rushlight_tensor::{Bool8, Complex64, DType, Fault, Result, Tensor, dispatch, watch};
use rushlight_types::{OutDtype, Quantized, op, operators};

operators! {
    /// Truth and counts.
    pub static ROWS = [
        op!("aten::all(Tensor self) -> Tensor", all).refused_as("aten::all.all_out").out("all_out", crate::out::cast).out_dtype(OutDtype::Truth("all only supports bool tensor for result, got: {out}")),
        op!("aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", all_dim).refused_as_out().out("out", crate::out::cast).out_dtype(OutDtype::Truth("all only supports bool tensor for result, got: {out}")),
        op!("aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", all_dims).out("dims_out", crate::out::cast).out_dtype(OutDtype::Truth("all only supports bool tensor for result, got: {out}")),
        op!("aten::any(Tensor self) -> Tensor", any).refused_as("aten::any.all_out").out("all_out", crate::out::cast).out_dtype(OutDtype::Truth("any only supports bool tensor for result, got: {out}")),
        op!("aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", any_dim).refused_as_out().out("out", crate::out::cast).out_dtype(OutDtype::Truth("any only supports bool tensor for result, got: {out}")),
        op!("aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", any_dims).out("dims_out", crate::out::cast).out_dtype(OutDtype::Truth("any only supports bool tensor for result, got: {out}")),
        op!("aten::count_nonzero(Tensor self, int? dim=None) -> Tensor", count_nonzero).out("out", crate::out::exact),
        op!("aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor", count_nonzero_dims).out("dim_IntList_out", crate::out::exact),
        op!("aten::equal(Tensor self, Tensor other) -> bool", equal).quantized(Quantized::Numbers),
        op!("aten::allclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> bool", allclose),
        op!("aten::is_nonzero(Tensor self) -> bool", is_nonzero),
    ];
}

fn truth<const ALL: bool>(input: &Tensor, mask: &Mask, keepdim: bool) -> Result<Tensor> {
    let out = match input.dtype() {
        DType::U8 => DType::U8,
        _ => DType::Bool,
    };
    let truth = reduce(
        &input.to_dtype(DType::Bool),
        mask,
        keepdim,
        &Truth::<ALL>,
        Bool8::from,
    )?;
    Ok(truth.to_dtype(out))
}

/// An absent list means every dimension, an empty one none.
fn optional_dims(dim: Option<Ints>, rank: usize) -> Result<Mask> {
    match dim {
        None => Ok(dims::all(rank)),
        Some(dim) => listed(&dim, rank),
    }
}

/// `all` over everything.
pub fn all(input: &Tensor) -> Result<Tensor> {
    truth::<true>(input, &dims::all(input.rank()), false)
}

/// `all` over one dimension.
pub fn all_dim(input: &Tensor, dim: i64, keepdim: bool) -> Result<Tensor> {
    truth::<true>(input, &listed(&[dim], input.rank())?, keepdim)
}

fn all_dims(input: &Tensor, dim: Option<Ints>, keepdim: bool) -> Result<Tensor> {
    truth::<true>(input, &optional_dims(dim, input.rank())?, keepdim)
}

/// `any` over everything.
pub fn any(input: &Tensor) -> Result<Tensor> {
    truth::<false>(input, &dims::all(input.rank()), false)
}

/// `any` over one dimension.
pub fn any_dim(input: &Tensor, dim: i64, keepdim: bool) -> Result<Tensor> {
    truth::<false>(input, &listed(&[dim], input.rank())?, keepdim)
}

fn any_dims(input: &Tensor, dim: Option<Ints>, keepdim: bool) -> Result<Tensor> {
    truth::<false>(input, &optional_dims(dim, input.rank())?, keepdim)
}

fn count_nonzero(input: &Tensor, dim: Option<i64>) -> Result<Tensor> {
    let dims: Ints = dim.into_iter().collect();
    count_nonzero_dims(input, dims)
}

fn count_nonzero_dims(input: &Tensor, dim: Ints) -> Result<Tensor> {
    let mask = mask(Some(&dim), input.rank())?;
    sum_masked(&input.to_dtype(DType::Bool), &mask, false, DType::I64)
}

/// Whether sizes and elements are the same.
pub fn equal(a: &Tensor, b: &Tensor) -> Result<bool> {
    if a.sizes() != b.sizes() {
        return Ok(false);
    }
    let dtype = rushlight_tensor::promote::checked_promote_types(a.dtype(), b.dtype())?;
    let dtype = if dtype.is_eight() { DType::F32 } else { dtype };
    let (a, b) = (a.to_dtype(dtype), b.to_dtype(dtype));
    Ok(dispatch!(a.dtype(), All, T => a.data::<T>()[..] == b.data::<T>()[..]))
}

/// So many elements are compared before it is asked whether all agree.
const PART: usize = 1 << 10;

/// Whether all elements agree within `atol + rtol * |other|`.
pub fn allclose(a: &Tensor, b: &Tensor, rtol: f64, atol: f64, equal_nan: bool) -> Result<bool> {
    if a.dtype() != b.dtype() {
        return Err(Fault::runtime(format!(
            "{} did not match {}",
            a.dtype().class_name(),
            b.dtype().class_name()
        )));
    }
    for (name, value) in [("rtol", rtol), ("atol", atol)] {
        if value.is_nan() || value < 0.0 {
            return Err(Fault::runtime(format!(
                "{name} must be greater than or equal to zero, but got {}",
                rushlight_types::general_text(value, 6)
            )));
        }
    }
    let sizes = rushlight_tensor::layout::broadcast_or_fault(a.sizes(), b.sizes())?;
    let (a, b) = (a.expand_to(&sizes)?, b.expand_to(&sizes)?);
    if a.dtype().is_integral(true) {
        let close = |x: i64, y: i64| {
            x == y || (x.wrapping_sub(y) as f64).abs() <= atol + rtol * (y as f64).abs()
        };
        let (a, b) = (a.to_vec::<i64>(), b.to_vec::<i64>());
        return Ok(a.iter().zip(&b).all(|(&x, &y)| close(x, y)));
    }
    if matches!(a.dtype(), DType::F32 | DType::F64) {
        return compute!(a.dtype(), "allclose", W => {
            let (a, b) = (a.data::<W>(), b.data::<W>());
            let close = |x: &W, y: &W| {
                let (x, y) = (x.f64(), y.f64());
                let (gap, most) = ((x - y).abs(), atol + rtol * y.abs());
                (x == y)
                    | (equal_nan & x.is_nan() & y.is_nan())
                    | ((gap <= most) & (gap < f64::INFINITY))
            };
            Ok(a.chunks(PART).zip(b.chunks(PART)).all(|(a, b)| {
                watch::poll();
                a.iter().zip(b).fold(true, |all, (x, y)| all & close(x, y))
            }))
        });
    }
    let close = |x: Complex64, y: Complex64| {
        let nan = |z: Complex64| z.re.is_nan() || z.im.is_nan();
        let difference = (x - y).norm();
        x == y
            || (equal_nan && nan(x) && nan(y))
            || (difference.is_finite() && difference <= atol + rtol * y.norm())
    };
    let (a, b) = (a.to_vec::<Complex64>(), b.to_vec::<Complex64>());
    Ok(a.iter().zip(&b).all(|(&x, &y)| close(x, y)))
}

/// The truth of a tensor with one element.
pub fn is_nonzero(input: &Tensor) -> Result<bool> {
    match input.numel() {
        0 => Err(Fault::runtime(
            "Boolean value of Tensor with no values is ambiguous",
        )),
        1 => Ok(input.item()?.to_bool()),
        _ => Err(Fault::runtime(
            "Boolean value of Tensor with more than one value is ambiguous",
        )),
    }
}
