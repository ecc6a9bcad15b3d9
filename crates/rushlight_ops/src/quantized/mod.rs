//! Quantized tensors: making them and reading them, and the layers that work on them with packed weights.
//!
//! Sums of products of integers are exact (`sums.rs`, over the products of bytes in `dot.rs`), what becomes of them is rounded
//! in the reference's order (`requantize.rs`). What an operator of another family does with a quantized tensor is said by its row;
//! see [`rushlight_types::Quantized`].

mod arithmetic;
mod average;
mod convert;
mod convolution;
mod dot;
mod embedding;
mod fake;
mod lanes;
mod linear;
mod mean;
mod normal;
mod packed;
mod recurrent;
mod requantize;
mod search;
mod sums;
#[cfg(test)]
mod tests;

use rushlight_tensor::{DType, Fault, Quantizer, Result, Tensor, memory};
use rushlight_types::{Context, Operator, Value};
use std::sync::Arc;

pub(crate) use arithmetic::join as cat;
pub(crate) use average::{Windows, average};
pub(crate) use mean::mean;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[
    convert::ROWS,
    fake::ROWS,
    arithmetic::ROWS,
    arithmetic::FUNCTIONS,
    convolution::ROWS,
    embedding::ROWS,
    linear::ROWS,
    normal::ROWS,
    recurrent::ROWS,
    search::ROWS,
];

/// One scale for a whole tensor.
fn uniform(scale: f64, zero_point: i64) -> Arc<Quantizer> {
    Arc::new(Quantizer::Tensor { scale, zero_point })
}

/// What an argument's integers stand for.
fn quantizer<'t>(name: &str, tensor: &'t Tensor) -> Result<&'t Arc<Quantizer>> {
    tensor.quantizer().ok_or_else(|| {
        Fault::not_implemented(format!(
            "Could not run '{name}' with arguments from the 'CPU' backend. This could be because the operator doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom build)."
        ))
    })
}

/// Scale and zero point of an argument that has one of each.
fn scale_of(name: &str, tensor: &Tensor) -> Result<(f64, i64)> {
    match **quantizer(name, tensor)? {
        Quantizer::Tensor { scale, zero_point } => Ok((scale, zero_point)),
        Quantizer::Channel { .. } => Err(Fault::runtime(
            "Expected quantizer->qscheme() == kPerTensorAffine to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)",
        )),
    }
}

/// Quantizes with one scale.
fn quantize(x: &Tensor, scale: f64, zero_point: i64, dtype: DType) -> Result<Tensor> {
    uniform(scale, zero_point).quantize(x, dtype)
}

/// A quantized tensor of bytes.
fn of_bytes(bytes: Vec<u8>, sizes: &[usize], scale: f64, zero_point: i64) -> Result<Tensor> {
    Tensor::from_vec(bytes, sizes)?
        .as_quantized(&uniform(scale, zero_point))
        .ok_or_else(|| Fault::internal("bytes that no quantized tensor is stored as"))
}

/// A quantized tensor of integers, which are brought into the dtype's bounds.
fn of_integers_like(
    integers: &[i64],
    sizes: &[usize],
    (scale, zero_point): (f64, i64),
    dtype: DType,
) -> Result<Tensor> {
    uniform(scale, zero_point).of_integers(integers, sizes, dtype)
}

/// The integers without their zero point, as float64.
fn integers(tensor: &Tensor, quantizer: &Quantizer) -> Result<Tensor> {
    let centred = quantizer.centred(tensor);
    Tensor::from_vec(
        memory::collect(centred.into_iter().map(|v| v as f64)),
        tensor.sizes(),
    )
}

/// Calls an operator of another family on plain tensors.
fn apply(cx: &Context, name: &str, arguments: Vec<Value>) -> Result<Tensor> {
    let operator = crate::table()
        .find(name)
        .ok_or_else(|| Fault::internal(format!("there is no operator {name}")))?;
    match operator.call_vec(cx, arguments)?.into_iter().next() {
        Some(Value::Tensor(t)) => Ok(t),
        _ => Err(Fault::internal(format!("{name} gives no tensor"))),
    }
}
