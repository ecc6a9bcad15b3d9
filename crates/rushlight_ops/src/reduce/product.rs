//! Products.

use super::dims;
use crate::out::in_its_dtype;
use rushlight_kernels::reduce::product::prod_masked;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{DType, Result, Tensor};
use rushlight_types::{op, operators};

operators! {
    /// Products.
    pub static ROWS = [
        op!("aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", prod_all).out("out", crate::out::exact),
        op!("aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", prod).refused_as("aten::prod.int_out"),
        op!("aten::prod.int_out(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)", prod_out),
    ];
}

/// `prod` over everything.
pub fn prod_all(input: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    prod_masked(input, &dims::all(input.rank()), false, dtype)
}

fn prod_out(
    input: &Tensor,
    dim: i64,
    keepdim: bool,
    dtype: Option<DType>,
    out: &Tensor,
) -> Result<Tensor> {
    in_its_dtype(out, dtype, |dtype| prod(input, dim, keepdim, dtype))
}

/// `prod` over one dimension.
pub fn prod(input: &Tensor, dim: i64, keepdim: bool, dtype: Option<DType>) -> Result<Tensor> {
    wrap_dim(dim, input.rank())?;
    prod_masked(input, &dims::listed(&[dim], input.rank())?, keepdim, dtype)
}
