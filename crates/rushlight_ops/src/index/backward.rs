//! Gradients of indexing: zeros of the input's sizes into which the result's gradient is written or added.

use super::along::scatter_add;
use super::flat::masked_scatter_;
use super::slices::index_add;
use crate::create::options::preserved;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Dims, Fault, Result, Scalar, Tensor};
use rushlight_types::{op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Gradients of indexing.
    pub static ROWS = [
        op!("aten::select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor", select_backward).out("out", crate::out::cast),
        op!("aten::slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt step) -> Tensor", slice_backward).out("out", crate::out::cast),
        op!("aten::index_select_backward(Tensor grad, SymInt[] self_sizes, int dim, Tensor index) -> Tensor", index_select_backward),
        op!("aten::gather_backward(Tensor grad, Tensor self, int dim, Tensor index, bool sparse_grad) -> Tensor", gather_backward),
        op!("aten::masked_select_backward(Tensor grad, Tensor input, Tensor mask) -> Tensor", masked_select_backward),
        op!("aten::trace_backward(Tensor grad, SymInt[] sizes) -> Tensor", trace_backward),
        op!("aten::value_selecting_reduction_backward(Tensor grad, int dim, Tensor indices, SymInt[] sizes, bool keepdim) -> Tensor", value_selecting_reduction_backward),
    ];
}

/// Zeros of the gradient's dtype.
fn zeros(grad: &Tensor, sizes: &[i64]) -> Result<Tensor> {
    let convert = |&size: &i64| {
        usize::try_from(size).map_err(|_| {
            Fault::runtime(format!(
                "Trying to create tensor with negative dimension {size}"
            ))
        })
    };
    let sizes: Dims = sizes.iter().map(convert).collect::<Result<_>>()?;
    Tensor::zeros(&sizes, grad.dtype())
}

fn select_backward(grad: &Tensor, sizes: Ints, dim: i64, index: i64) -> Result<Tensor> {
    let out = zeros(grad, &sizes)?;
    out.select(dim, index)?.copy_from(grad)?;
    Ok(out)
}

fn slice_backward(
    grad: &Tensor,
    sizes: Ints,
    dim: i64,
    start: i64,
    end: i64,
    step: i64,
) -> Result<Tensor> {
    let out = zeros(grad, &sizes)?;
    out.slice(dim, Some(start), Some(end), step)?
        .copy_from(grad)?;
    Ok(out)
}

fn index_select_backward(grad: &Tensor, sizes: Ints, dim: i64, index: &Tensor) -> Result<Tensor> {
    index_add(&zeros(grad, &sizes)?, dim, index, grad, Scalar::Int(1))
}

fn gather_backward(
    grad: &Tensor,
    input: &Tensor,
    dim: i64,
    index: &Tensor,
    _sparse: bool,
) -> Result<Tensor> {
    scatter_add(
        &Tensor::zeros(input.sizes(), grad.dtype())?,
        dim,
        index,
        grad,
    )
}

fn masked_select_backward(grad: &Tensor, input: &Tensor, mask: &Tensor) -> Result<Tensor> {
    let sizes = rushlight_tensor::layout::broadcast_or_fault(input.sizes(), mask.sizes())?;
    // Laid out like the input, where the mask does not widen that.
    let zeros = match sizes[..] == *input.sizes() {
        true => {
            let zeros = Tensor::empty_with(&preserved(input), grad.dtype())?;
            zeros.fill(Scalar::Int(0))?;
            zeros
        }
        false => Tensor::zeros(&sizes, grad.dtype())?,
    };
    let wide = masked_scatter_(&zeros, mask, grad)?;
    let own: Ints = input.sizes().iter().map(|&size| size as i64).collect();
    crate::reduce::sum::sum_to_size(&wide, own)
}

fn trace_backward(grad: &Tensor, sizes: Ints) -> Result<Tensor> {
    if sizes.len() != 2 {
        return Err(Fault::runtime("expected matrix input"));
    }
    let out = zeros(grad, &sizes)?;
    let (rows, columns) = (out.size(0), out.size(1));
    let diagonal = rushlight_tensor::Layout::strided(&[rows.min(columns)], &[columns + 1], 0);
    out.view_with(diagonal)?.copy_from(grad)?;
    Ok(out)
}

fn value_selecting_reduction_backward(
    grad: &Tensor,
    dim: i64,
    indices: &Tensor,
    sizes: Ints,
    keepdim: bool,
) -> Result<Tensor> {
    let out = zeros(grad, &sizes)?;
    if keepdim || sizes.is_empty() {
        return scatter_add(&out, dim, indices, grad);
    }
    let d = wrap_dim(dim, sizes.len())? as i64;
    scatter_add(&out, d, &indices.unsqueeze(d)?, &grad.unsqueeze(d)?)
}
