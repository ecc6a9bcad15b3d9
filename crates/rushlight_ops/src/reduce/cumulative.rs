//! Running sums, products, extremes and logarithms of sums along a dimension.

use crate::out::in_its_dtype;
use rushlight_kernels::reduce::cumulative::{cumulative_extreme, logcumsumexp, running};
use rushlight_tensor::iter::check_writable;
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{Apart, OutDtype, op, operators};

operators! {
    /// Running reductions.
    pub static ROWS = [
        op!("aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", cumsum).refused_as_out(),
        op!("aten::cumsum.out(Tensor self, int dim, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)", cumsum_out).apart(Apart::PARTLY),
        op!("aten::cumsum_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)", cumsum_),
        op!("aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", cumprod).refused_as_out(),
        op!("aten::cumprod.out(Tensor self, int dim, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)", cumprod_out).apart(Apart::PARTLY),
        op!("aten::cumprod_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)", cumprod_),
        op!("aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)", cummax).out("out", crate::out::cast).out_dtype(OutDtype::Same("expected scalar_type {result} but found {out}")),
        op!("aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)", cummin).out("out", crate::out::cast).out_dtype(OutDtype::Same("expected scalar_type {result} but found {out}")),
        op!("aten::logcumsumexp(Tensor self, int dim) -> Tensor", logcumsumexp).out("out", crate::out::cast).out_dtype(OutDtype::Same("expected scalar_type {result} but found {out}")).apart(Apart::PARTLY),
        op!("aten::_logcumsumexp(Tensor self, int dim) -> Tensor", logcumsumexp).out("out", crate::out::cast),
    ];
}

/// `cumsum`.
pub fn cumsum(input: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    running(input, dim, dtype, false)
}

/// `cumprod`.
pub fn cumprod(input: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    running(input, dim, dtype, true)
}

fn cumsum_out(input: &Tensor, dim: i64, dtype: Option<DType>, out: &Tensor) -> Result<Tensor> {
    in_its_dtype(out, dtype, |dtype| cumsum(input, dim, dtype))
}

fn cumprod_out(input: &Tensor, dim: i64, dtype: Option<DType>, out: &Tensor) -> Result<Tensor> {
    in_its_dtype(out, dtype, |dtype| cumprod(input, dim, dtype))
}

fn write_back(target: &Tensor, dim: i64, dtype: Option<DType>, product: bool) -> Result<Tensor> {
    if let Some(dtype) = dtype.filter(|&d| d != target.dtype()) {
        return Err(Fault::runtime(format!(
            "Bad in-place call: input tensor dtype {} and output tensor dtype {} should match",
            target.dtype().scalar_name(),
            dtype.scalar_name()
        )));
    }
    check_writable(target)?;
    target.copy_from(&running(target, dim, Some(target.dtype()), product)?)?;
    Ok(target.clone())
}

fn cumsum_(target: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    write_back(target, dim, dtype, false)
}

fn cumprod_(target: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    write_back(target, dim, dtype, true)
}

/// `cummax`.
pub fn cummax(input: &Tensor, dim: i64) -> Result<(Tensor, Tensor)> {
    cumulative_extreme::<true>(input, dim)
}

/// `cummin`.
pub fn cummin(input: &Tensor, dim: i64) -> Result<(Tensor, Tensor)> {
    cumulative_extreme::<false>(input, dim)
}
