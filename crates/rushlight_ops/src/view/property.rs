//! What a tensor says of itself: sizes, strides, dtype, device, and what it is not.

use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Fault, MemoryFormat, Result, Tensor};
use rushlight_types::{
    Dispatch, ElementOp, Elements, Quantized, ScalarOp, op, operators, quick_op,
};

operators! {
    /// Questions about a tensor that read no element.
    pub static ROWS = [
        quick_op!("aten::size(Tensor self) -> int[]", size).elements_are(Elements::Untouched).dispatch(Dispatch::Never),
        quick_op!("aten::size.int(Tensor self, int dim) -> int", size_of).elements_are(Elements::Untouched).dispatch(Dispatch::Never).scalar(ScalarOp::SizeOf),
        op!("aten::sym_size(Tensor self) -> SymInt[]", size).dispatch(Dispatch::Never),
        op!("aten::sym_size.int(Tensor self, int dim) -> SymInt", size_of).dispatch(Dispatch::Never),
        op!("aten::stride(Tensor self) -> int[]", stride).elements_are(Elements::Untouched).dispatch(Dispatch::Never),
        quick_op!("aten::stride.int(Tensor self, int dim) -> int", stride_of).elements_are(Elements::Untouched).dispatch(Dispatch::Never),
        op!("aten::sym_stride(Tensor self) -> SymInt[]", stride).dispatch(Dispatch::Never),
        op!("aten::sym_stride.int(Tensor self, int dim) -> SymInt", stride_of).dispatch(Dispatch::Never),
        quick_op!("aten::numel(Tensor self) -> int", numel).elements_are(Elements::Untouched).dispatch(Dispatch::Never).scalar(ScalarOp::NumelOf),
        op!("aten::sym_numel(Tensor self) -> SymInt", numel).dispatch(Dispatch::Never),
        quick_op!("aten::dim(Tensor self) -> int", rank).elements_are(Elements::Untouched).dispatch(Dispatch::Never).scalar(ScalarOp::RankOf),
        op!("aten::dense_dim(Tensor self) -> int", rank).elements_are(Elements::Untouched),
        op!("aten::storage_offset(Tensor self) -> int", storage_offset).elements_are(Elements::Untouched).dispatch(Dispatch::Never),
        op!("aten::sym_storage_offset(Tensor self) -> SymInt", storage_offset),
        quick_op!("aten::len.Tensor(Tensor t) -> int", length).elements_are(Elements::Untouched).dispatch(Dispatch::Never).scalar(ScalarOp::LenTensor),
        op!("aten::element_size(Tensor self) -> int", item_size).elements_are(Elements::Untouched),
        op!("prim::itemsize(Tensor a) -> int", item_size),
        op!("prim::nbytes(Tensor a) -> int", |t: &Tensor| (t.numel() * t.dtype().size()) as i64),
        op!("aten::_shape_as_tensor(Tensor self) -> Tensor", shape_as_tensor),
        op!("aten::is_contiguous(Tensor self) -> bool", |t: &Tensor| t.is_contiguous()).elements_are(Elements::Untouched).dispatch(Dispatch::Never),
        op!("aten::is_contiguous.memory_format(Tensor self, MemoryFormat memory_format) -> bool", is_contiguous_in).elements_are(Elements::Untouched).dispatch(Dispatch::Never),
        op!("aten::is_non_overlapping_and_dense(Tensor self) -> bool", |t: &Tensor| t.layout().is_non_overlapping_and_dense()),
        quick_op!("aten::is_floating_point(Tensor self) -> bool", |t: &Tensor| t.dtype().is_float()).elements_are(Elements::Untouched).dispatch(Dispatch::Never),
        op!("aten::is_complex(Tensor self) -> bool", |t: &Tensor| t.dtype().is_complex()).elements_are(Elements::Untouched).dispatch(Dispatch::Never),
        op!("aten::is_signed(Tensor self) -> bool", |t: &Tensor| t.dtype().is_signed()).elements_are(Elements::Untouched).dispatch(Dispatch::Never),
        op!("aten::is_same_size(Tensor self, Tensor other) -> bool", |a: &Tensor, b: &Tensor| a.sizes() == b.sizes()).elements_are(Elements::Untouched).dispatch(Dispatch::Never),
        op!("aten::is_set_to(Tensor self, Tensor tensor) -> bool", is_set_to).elements_are(Elements::Untouched),
        op!("aten::is_leaf(Tensor self) -> bool", Tensor::is_leaf).elements_are(Elements::Untouched),
        op!("aten::is_inference(Tensor self) -> bool", Tensor::is_inference).elements_are(Elements::Untouched),
        op!("aten::is_pinned(Tensor self, Device? device=None) -> bool", no),
        op!("aten::is_distributed(Tensor self) -> bool", no),
        op!("aten::_is_zerotensor(Tensor self) -> bool", no),
        op!("aten::output_nr(Tensor self) -> int", |_: &Tensor| 0i64).elements_are(Elements::Untouched).dispatch(Dispatch::Never),
        op!("aten::sparse_dim(Tensor self) -> int", |_: &Tensor| 0i64),
        op!("aten::_version(Tensor self) -> int", version).elements_are(Elements::Untouched),
        quick_op!("prim::dtype(Tensor a) -> int", |t: &Tensor| t.dtype().code()).element(ElementOp::DTypeOf),
        op!("prim::device(Tensor a) -> Device", |t: &Tensor| t.device()).element(ElementOp::DeviceOf),
        op!("prim::layout(Tensor a) -> Layout", |_: &Tensor| 0i64),
        quick_op!("prim::requires_grad(Tensor a) -> bool", |t: &Tensor| t.requires_grad()),
        op!("prim::name(Tensor a) -> str?", |_: &Tensor| rushlight_types::Value::None),
        op!("prim::is_cpu(Tensor a) -> bool", |t: &Tensor| t.device().is_cpu()),
        op!("prim::is_cuda(Tensor a) -> bool", |t: &Tensor| is_on("cuda", t)),
        op!("prim::is_meta(Tensor a) -> bool", |t: &Tensor| is_on("meta", t)),
        op!("prim::is_mps(Tensor a) -> bool", |t: &Tensor| is_on("mps", t)),
        op!("prim::is_xla(Tensor a) -> bool", |t: &Tensor| is_on("xla", t)),
        op!("prim::is_xpu(Tensor a) -> bool", |t: &Tensor| is_on("xpu", t)),
        op!("prim::is_ipu(Tensor a) -> bool", no),
        op!("prim::is_maia(Tensor a) -> bool", no),
        op!("prim::is_mkldnn(Tensor a) -> bool", no),
        op!("prim::is_mtia(Tensor a) -> bool", no),
        op!("prim::is_nested(Tensor a) -> bool", no),
        op!("prim::is_quantized(Tensor a) -> bool", |t: &Tensor| t.dtype().is_quantized()).quantized(Quantized::Native),
        op!("prim::is_sparse(Tensor a) -> bool", no),
        op!("prim::is_sparse_csr(Tensor a) -> bool", no),
        op!("prim::is_vulkan(Tensor a) -> bool", no),
    ];
}

/// Tensors of other kinds than dense ones on a device do not exist here.
fn no(_: &Tensor) -> bool {
    false
}

fn version(t: &Tensor) -> Result<i64> {
    match t.is_inference() {
        true => Err(Fault::runtime(
            "Inference tensors do not track version counter.",
        )),
        false => Ok(t.version() as i64),
    }
}

fn is_on(kind: &str, t: &Tensor) -> bool {
    t.device().kind_name() == kind
}

fn integers(values: &[usize]) -> Vec<i64> {
    values.iter().map(|v| *v as i64).collect()
}

fn size(t: &Tensor) -> Vec<i64> {
    integers(t.sizes())
}

fn size_of(t: &Tensor, dim: i64) -> Result<i64> {
    Ok(t.size(own_dim(t, dim)?) as i64)
}

fn stride(t: &Tensor) -> Vec<i64> {
    integers(t.strides())
}

fn stride_of(t: &Tensor, dim: i64) -> Result<i64> {
    Ok(t.strides()[own_dim(t, dim)?] as i64)
}

/// A dimension that the tensor really has: a tensor without dimensions has none to ask for.
fn own_dim(t: &Tensor, dim: i64) -> Result<usize> {
    if t.rank() == 0 {
        return Err(rushlight_tensor::view::no_dimensions(dim));
    }
    wrap_dim(dim, t.rank())
}

fn numel(t: &Tensor) -> i64 {
    t.numel() as i64
}

fn rank(t: &Tensor) -> i64 {
    t.rank() as i64
}

fn storage_offset(t: &Tensor) -> i64 {
    t.layout().offset() as i64
}

fn length(t: &Tensor) -> Result<i64> {
    match t.sizes().first() {
        Some(size) => Ok(*size as i64),
        None => Err(Fault::type_error("len() of a 0-d tensor")),
    }
}

fn item_size(t: &Tensor) -> i64 {
    t.dtype().size() as i64
}

fn shape_as_tensor(t: &Tensor) -> Result<Tensor> {
    Tensor::from_vec(integers(t.sizes()), &[t.rank()])
}

fn is_contiguous_in(t: &Tensor, format: MemoryFormat) -> bool {
    t.layout().is_contiguous_in(format)
}

fn is_set_to(a: &Tensor, b: &Tensor) -> bool {
    a.shares_storage(b) && a.layout() == b.layout()
}
