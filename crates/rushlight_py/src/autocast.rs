//! `torch.autocast` on the CPU: within it, operators that Python calls get their floating-point tensors in another precision.

use crate::eager::call_values;
use crate::objects::DTypeObject;
use pyo3::prelude::*;
use rushlight::tensor::DType;
use rushlight::types::Operator;
use rushlight::{Tensor, Value};
use std::cell::Cell;

thread_local! {
    /// The precision that is asked for, while autocasting is on.
    static TARGET: Cell<Option<DType>> = const { Cell::new(None) };
}

/// Turns autocasting on for this thread, to a precision, or off.
#[pyfunction]
#[pyo3(signature = (dtype))]
pub fn set_autocast(dtype: Option<DTypeObject>) {
    TARGET.set(dtype.map(|dtype| dtype.0));
}

/// What an operator wants its tensors to be.
#[derive(Clone, Copy, PartialEq)]
enum Policy {
    /// The precision that is asked for.
    Lower,
    /// `float32`.
    Full,
    /// The widest type among them.
    Widest,
}

/// Operators that gain from low precision. This list and the two below are in the order of the alphabet.
const LOWER: &[&str] = &[
    "_convolution",
    "_native_multi_head_attention",
    "addbmm",
    "addmm",
    "baddbmm",
    "bmm",
    "chain_matmul",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "einsum",
    "inner",
    "linalg_multi_dot",
    "linalg_vecdot",
    "linear",
    "lstm",
    "matmul",
    "mm",
    "prelu",
    "rnn_relu",
    "rnn_tanh",
    "scaled_dot_product_attention",
];

/// Operators that lose too much in low precision.
const FULL: &[&str] = &[
    "adaptive_avg_pool3d",
    "adaptive_max_pool3d",
    "avg_pool3d",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cdist",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "cosine_embedding_loss",
    "cross_entropy_loss",
    "ctc_loss",
    "fft_fft",
    "fft_fft2",
    "fft_fftn",
    "fft_hfft",
    "fft_ifft",
    "fft_ifft2",
    "fft_ifftn",
    "fft_ihfft",
    "fft_irfft",
    "fft_irfft2",
    "fft_irfftn",
    "fft_rfft",
    "fft_rfft2",
    "fft_rfftn",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "geqrf",
    "grid_sampler",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "hinge_embedding_loss",
    "huber_loss",
    "inverse",
    "kl_div",
    "l1_loss",
    "linalg_cholesky",
    "linalg_cholesky_ex",
    "linalg_cond",
    "linalg_eig",
    "linalg_eigh",
    "linalg_eigvals",
    "linalg_eigvalsh",
    "linalg_householder_product",
    "linalg_inv",
    "linalg_inv_ex",
    "linalg_lstsq",
    "linalg_matrix_rank",
    "linalg_qr",
    "linalg_solve",
    "linalg_svd",
    "linalg_svdvals",
    "linalg_tensorinv",
    "linalg_tensorsolve",
    "lu_solve",
    "margin_ranking_loss",
    "max_pool3d",
    "max_unpool2d",
    "max_unpool3d",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "nanquantile",
    "nll_loss",
    "nll_loss2d",
    "nll_loss_nd",
    "orgqr",
    "ormqr",
    "pinverse",
    "poisson_nll_loss",
    "polar",
    "prod",
    "qr",
    "quantile",
    "reflection_pad1d",
    "reflection_pad2d",
    "reflection_pad3d",
    "replication_pad1d",
    "replication_pad2d",
    "replication_pad3d",
    "smooth_l1_loss",
    "soft_margin_loss",
    "stft",
    "svd",
    "trace",
    "triangular_solve",
    "triplet_margin_loss",
    "view_as_complex",
];

/// Operators whose tensors have to be of one type.
const WIDEST: &[&str] = &["cat", "index_copy", "stack"];

/// The lists are searched by halves.
const fn is_in_order(names: &[&str]) -> bool {
    let mut i = 1;
    while i < names.len() {
        let (a, b) = (names[i - 1].as_bytes(), names[i].as_bytes());
        let mut k = 0;
        while k < a.len() && k < b.len() && a[k] == b[k] {
            k += 1;
        }
        if k == b.len() || k < a.len() && a[k] > b[k] {
            return false;
        }
        i += 1;
    }
    true
}
const _: () = assert!(is_in_order(LOWER) && is_in_order(FULL) && is_in_order(WIDEST));

fn policy(operator: &Operator, slots: &[Value]) -> Option<Policy> {
    let name = operator.name().strip_prefix("aten::")?;
    if operator.schema().overload.ends_with("out") {
        return None;
    }
    match (name, slots) {
        ("pad", [_, _, Value::Str(mode), ..]) => {
            let repeats = |mode: &str| matches!(mode, "reflect" | "replicate");
            return mode.as_str().is_ok_and(repeats).then_some(Policy::Full);
        }
        // What leaves no dimension is a sum of products, and no product of matrices.
        (
            "tensordot",
            [
                Value::Tensor(left),
                Value::Tensor(right),
                Value::IntList(contracted),
                ..,
            ],
        ) => {
            let dims = left.sizes().len() + right.sizes().len();
            return (2 * contracted.lock().len() < dims).then_some(Policy::Lower);
        }
        _ => {}
    }
    let tables = [
        (LOWER, Policy::Lower),
        (FULL, Policy::Full),
        (WIDEST, Policy::Widest),
    ];
    let found = tables
        .iter()
        .find(|(names, _)| names.binary_search(&name).is_ok());
    found.map(|(_, policy)| *policy)
}

/// Whether autocasting changes a tensor: the precise ones are meant to be so.
fn is_eligible(tensor: &Tensor) -> bool {
    tensor.dtype().is_float() && tensor.dtype() != DType::F64
}

fn cast(py: Python<'_>, tensor: &Tensor, dtype: DType) -> PyResult<Option<Tensor>> {
    if !is_eligible(tensor) || tensor.dtype() == dtype {
        return Ok(None);
    }
    let arguments = vec![
        Value::Tensor(tensor.clone()),
        Value::Int(dtype.code()),
        Value::Bool(false),
        Value::Bool(false),
        Value::None,
    ];
    let cast = call_values(py, "aten::to.dtype", arguments)?;
    cast.as_tensor()
        .cloned()
        .map(Some)
        .map_err(crate::errors::fault)
}

fn cast_all(py: Python<'_>, value: &mut Value, dtype: DType) -> PyResult<()> {
    match value {
        Value::Tensor(tensor) => {
            if let Some(tensor) = cast(py, tensor, dtype)? {
                *value = Value::Tensor(tensor);
            }
        }
        Value::TensorList(list) => {
            let tensors = list.lock().clone();
            let mut changed = Vec::with_capacity(tensors.len());
            for tensor in &tensors {
                changed.push(cast(py, tensor, dtype)?.unwrap_or_else(|| tensor.clone()));
            }
            *value = Value::TensorList(changed.into());
        }
        _ => {}
    }
    Ok(())
}

/// Gives the arguments of a call the precision that its operator wants, while autocasting is on.
#[inline]
pub fn prepare(py: Python<'_>, operator: &Operator, slots: &mut [Value]) -> PyResult<()> {
    match TARGET.get() {
        None => Ok(()),
        Some(target) => convert(py, operator, slots, target),
    }
}

#[cold]
fn convert(
    py: Python<'_>,
    operator: &Operator,
    slots: &mut [Value],
    target: DType,
) -> PyResult<()> {
    let dtype = match policy(operator, slots) {
        None => return Ok(()),
        Some(Policy::Lower) => target,
        Some(Policy::Full) => DType::F32,
        Some(Policy::Widest) => {
            let is_wide = |t: &Tensor| t.dtype() == DType::F32;
            if !slots.iter().any(|value| value.any_tensor(is_wide)) {
                return Ok(());
            }
            DType::F32
        }
    };
    slots
        .iter_mut()
        .try_for_each(|value| cast_all(py, value, dtype))
}
