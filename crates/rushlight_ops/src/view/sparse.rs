//! What operators on sparse tensors do with strided ones, the only kind that there is here.

use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{Call, Operator, nobody_keeps, op, operators};

operators! {
    /// Parts of sparse tensors, which strided ones lack, and the way back to strided ones.
    pub static ROWS = [
        op!("aten::to_dense(Tensor self, ScalarType? dtype=None, *, bool? masked_grad=None) -> Tensor", to_dense),
        op!("aten::_to_dense(Tensor self, ScalarType? dtype=None, bool? masked_grad=None) -> Tensor", to_dense),
        op!("aten::values(Tensor(a) self) -> Tensor(a)", values),
        op!("aten::indices(Tensor(a) self) -> Tensor(a)", indices),
        op!("aten::coalesce(Tensor(a) self) -> Tensor(a)", coalesce),
        op!("aten::is_coalesced(Tensor self) -> bool", is_coalesced),
        op!("aten::crow_indices(Tensor(a) self) -> Tensor(a)", crow_indices),
        op!("aten::col_indices(Tensor(a) self) -> Tensor(a)", col_indices),
        op!("aten::ccol_indices(Tensor(a) self) -> Tensor(a)", ccol_indices),
        op!("aten::row_indices(Tensor(a) self) -> Tensor(a)", row_indices),
        op!("aten::_values(Tensor(a) self) -> Tensor(a)", raw_values),
        op!("aten::_indices(Tensor(a) self) -> Tensor(a)", raw_indices),
        op!("aten::_nnz(Tensor self) -> int", raw_count),
    ];
}

operators! {
    /// What makes sparse tensors where somebody outside keeps them. Scripts know it by name everywhere, so that a library's
    /// function compiles whose other branches are taken; where one is reached, it says that there are none.
    pub static MAKERS = [
        Operator::new("aten::sparse_coo_tensor.size(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_coo_tensor.indices(Tensor indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool? is_coalesced=None) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_coo_tensor.indices_size(Tensor indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool? is_coalesced=None) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_csr_tensor.crow_col_value_size(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_csr_tensor.crow_col_value(Tensor crow_indices, Tensor col_indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_csc_tensor.ccol_row_value_size(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_csc_tensor.ccol_row_value(Tensor ccol_indices, Tensor row_indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_bsr_tensor.crow_col_value_size(Tensor crow_indices, Tensor col_indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_bsr_tensor.crow_col_value(Tensor crow_indices, Tensor col_indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_bsc_tensor.ccol_row_value_size(Tensor ccol_indices, Tensor row_indices, Tensor values, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_bsc_tensor.ccol_row_value(Tensor ccol_indices, Tensor row_indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_compressed_tensor.comp_plain_value_size(Tensor compressed_indices, Tensor plain_indices, Tensor values, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_compressed_tensor.comp_plain_value(Tensor compressed_indices, Tensor plain_indices, Tensor values, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::to_sparse.sparse_dim(Tensor self, int sparse_dim) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::to_sparse_csr(Tensor self, int? dense_dim=None) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::to_sparse_csc(Tensor self, int? dense_dim=None) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::to_sparse_bsr(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::to_sparse_bsc(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::_sparse_mm(Tensor sparse, Tensor dense) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::_sparse_mm.reduce(Tensor sparse, Tensor dense, str reduce) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::_sparse_sum(Tensor self) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::_sparse_sum.dtype(Tensor self, *, ScalarType dtype) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::_sparse_sum.dim(Tensor self, int[1] dim) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::_sparse_sum.dim_dtype(Tensor self, int[1] dim, *, ScalarType dtype) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::_sparse_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::_sparse_log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::_sparse_addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_sampled_addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", no_sparse_tensor).made_outside(),
        Operator::new("aten::sparse_mask(Tensor self, Tensor mask) -> Tensor", no_sparse_tensor).made_outside(),
    ];
}

fn no_sparse_tensor(_: &mut Call<'_>) -> Result<()> {
    Err(nobody_keeps())
}

fn to_dense(t: &Tensor, dtype: Option<DType>, _masked: Option<bool>) -> Result<Tensor> {
    match dtype {
        Some(dtype) if dtype != t.dtype() => Ok(t.to_dtype(dtype)),
        _ => Ok(t.clone()),
    }
}

fn refused<T>(name: &str, wanted: &str) -> Result<T> {
    Err(Fault::runtime(format!(
        "{name} expected sparse {wanted} layout but got Strided"
    )))
}

fn values(_: &Tensor) -> Result<Tensor> {
    refused("values", "tensor")
}

fn indices(_: &Tensor) -> Result<Tensor> {
    refused("indices", "coordinate tensor")
}

fn coalesce(_: &Tensor) -> Result<Tensor> {
    refused("coalesce", "coordinate tensor")
}

fn is_coalesced(_: &Tensor) -> Result<bool> {
    refused("is_coalesced", "coordinate tensor")
}

fn crow_indices(_: &Tensor) -> Result<Tensor> {
    refused("crow_indices", "row compressed tensor")
}

fn col_indices(_: &Tensor) -> Result<Tensor> {
    refused("col_indices", "row compressed tensor")
}

fn ccol_indices(_: &Tensor) -> Result<Tensor> {
    refused("ccol_indices", "column compressed tensor")
}

fn row_indices(_: &Tensor) -> Result<Tensor> {
    refused("row_indices", "column compressed tensor")
}

/// The words for an operator that only sparse tensors have.
fn unknown<T>(name: &str) -> Result<T> {
    Err(Fault::not_implemented(format!(
        "Could not run '{name}' with arguments from the 'CPU' backend. This could be because the operator doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom build)."
    )))
}

fn raw_values(_: &Tensor) -> Result<Tensor> {
    unknown("aten::_values")
}

fn raw_indices(_: &Tensor) -> Result<Tensor> {
    unknown("aten::_indices")
}

fn raw_count(_: &Tensor) -> Result<i64> {
    unknown("aten::_nnz")
}
