//! Softmax and its logarithm along one dimension.

use rushlight_kernels::nn::softmax::along;
use rushlight_kernels::nn::softmax::backward::backward;
pub(crate) use rushlight_kernels::nn::softmax::{SoftmaxKind, rows_in_place};
use rushlight_ops::op_out_exact;
use rushlight_tensor::layout::list;
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{op, operators};

operators! {
    /// Softmax.
    pub static ROWS = [
        op!("aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", softmax).refused_as("aten::_softmax.out").out("int_out", rushlight_ops::out::exact),
        op!("aten::special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", softmax),
        op!("aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", softmax_half).out("out", rushlight_ops::out::cast),
        op!("aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", safe_softmax),
        op!("aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", log_softmax).refused_as("aten::_log_softmax.out").out("int_out", rushlight_ops::out::exact),
        op!("aten::special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", log_softmax),
        op!("aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", log_softmax_half).out("out", rushlight_ops::out::cast),
        op!("aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor", softmax_backward_data),
        op!("aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor", log_softmax_backward_data).out("out", rushlight_ops::out::cast),
        op_out_exact!("aten::_softmax_backward_data.out(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype, *, Tensor(a!) grad_input) -> Tensor(a!)", softmax_backward_data),
    ];
}

pub(super) fn softmax(t: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    along(SoftmaxKind::Plain, t, dim, dtype)
}

fn safe_softmax(t: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    along(SoftmaxKind::Safe, t, dim, dtype)
}

pub(super) fn log_softmax(t: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    along(SoftmaxKind::Log, t, dim, dtype)
}

fn softmax_half(t: &Tensor, dim: i64, half_to_float: bool) -> Result<Tensor> {
    refuse_half_to_float("softmax", half_to_float)?;
    along(SoftmaxKind::Plain, t, dim, None)
}

fn log_softmax_half(t: &Tensor, dim: i64, half_to_float: bool) -> Result<Tensor> {
    refuse_half_to_float("log_softmax", half_to_float)?;
    along(SoftmaxKind::Log, t, dim, None)
}

fn refuse_half_to_float(name: &str, half_to_float: bool) -> Result<()> {
    if half_to_float {
        return Err(Fault::runtime(format!(
            "{name} with half to float conversion is not supported on CPU"
        )));
    }
    Ok(())
}

fn softmax_backward_data(grad: &Tensor, output: &Tensor, dim: i64, dtype: DType) -> Result<Tensor> {
    of_same_kind(grad, output, dtype)?;
    backward(false, grad, output, dim)
}

fn log_softmax_backward_data(
    grad: &Tensor,
    output: &Tensor,
    dim: i64,
    dtype: DType,
) -> Result<Tensor> {
    of_same_kind(grad, output, dtype)?;
    backward(true, grad, output, dim)
}

/// The gradient is of the dtype of the result; only that of an input of float16 could be another.
fn of_same_kind(grad: &Tensor, output: &Tensor, input: DType) -> Result<()> {
    if grad.sizes() == output.sizes() {
        let other = if (input, grad.dtype()) == (DType::F16, DType::F32) {
            input
        } else {
            output.dtype()
        };
        if other == grad.dtype() {
            return Ok(());
        }
        return Err(Fault::other_scalar_type(grad.dtype(), other));
    }
    Err(Fault::runtime(format!(
        "Expected tensor for argument #1 'grad' to have same size as tensor for argument #2 'output'; but {} does not equal {} (while checking arguments for softmax_backward)",
        list(grad.sizes()),
        list(output.sizes())
    )))
}
