//! Arithmetic of quantized tensors: what operators on them compute with. Nothing here knows an operator's schema or a value of the language.

pub mod average;
mod bytes;
mod depthwise;
pub mod dot;
pub mod finish;
pub mod geometry;
pub mod lanes;
pub mod layers;
pub mod mean;
pub mod packed;

use rushlight_tensor::{Buffer, DType, Fault, Quantizer, Result, Tensor, memory};
use std::sync::Arc;

/// One scale for a whole tensor.
pub fn uniform(scale: f64, zero_point: i64) -> Arc<Quantizer> {
    Arc::new(Quantizer::Tensor { scale, zero_point })
}

/// What an argument's integers stand for.
pub fn quantizer<'t>(name: &str, tensor: &'t Tensor) -> Result<&'t Arc<Quantizer>> {
    tensor.quantizer().ok_or_else(|| {
        Fault::not_implemented(format!(
            "Could not run '{name}' with arguments from the 'CPU' backend. This could be because the operator doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom build)."
        ))
    })
}

/// Scale and zero point of an argument that has one of each.
pub fn scale_of(name: &str, tensor: &Tensor) -> Result<(f64, i64)> {
    match **quantizer(name, tensor)? {
        Quantizer::Tensor { scale, zero_point } => Ok((scale, zero_point)),
        Quantizer::Channel { .. } => {
            Err(Fault::not_true("quantizer->qscheme() == kPerTensorAffine"))
        }
    }
}

/// The numbers of an argument, which must be quantized.
pub fn numbers(name: &str, x: &Tensor) -> Result<Tensor> {
    quantizer(name, x)?;
    Ok(x.dequantized())
}

/// Each number through a function.
pub fn map_numbers(x: &Tensor, f: impl Fn(f32) -> f32) -> Result<Tensor> {
    let values: Vec<f32> = x.to_vec();
    Ok(Tensor::from_vec(values.into_iter().map(f).collect(), x.sizes())?.ordered_like(x))
}

/// The numbers, those below zero as zero where that is asked for.
pub fn floor_at_zero<const RELU: bool>(x: Tensor) -> Result<Tensor> {
    if RELU {
        map_numbers(&x, |v| v.max(0.0))
    } else {
        Ok(x)
    }
}

/// Quantizes with one scale.
pub fn quantize(x: &Tensor, scale: f64, zero_point: i64, dtype: DType) -> Result<Tensor> {
    uniform(scale, zero_point).quantize(x, dtype)
}

/// A quantized tensor of bytes.
pub fn of_bytes(bytes: Buffer<u8>, sizes: &[usize], scale: f64, zero_point: i64) -> Result<Tensor> {
    bytes
        .into_tensor(sizes)
        .as_quantized(&uniform(scale, zero_point))
        .ok_or_else(|| Fault::internal("bytes that no quantized tensor is stored as"))
}

/// A quantized tensor of integers, which are brought into the dtype's bounds.
pub fn of_integers_like(
    integers: &[i64],
    sizes: &[usize],
    (scale, zero_point): (f64, i64),
    dtype: DType,
) -> Result<Tensor> {
    uniform(scale, zero_point).of_integers(integers, sizes, dtype)
}

/// The integers without their zero point, as float64.
pub fn integers(tensor: &Tensor, quantizer: &Quantizer) -> Result<Tensor> {
    let centred = quantizer.centred(tensor);
    Tensor::from_vec(
        memory::collect(centred.into_iter().map(|v| v as f64)),
        tensor.sizes(),
    )
}
