//! Between tensors of numbers and quantized ones, and the facts about quantized tensors.

use super::{quantize, quantizer, scale_of, uniform};
use rushlight_tensor::{DType, Fault, Quantizer, Result, Tensor};
use rushlight_types::{AnyDType, Dispatch, Quantized, Value, op, operators};
use std::sync::Arc;

operators! {
    /// Conversions and facts.
    pub static ROWS = [
        op!("aten::quantize_per_tensor(Tensor self, float scale, int zero_point, ScalarType dtype) -> Tensor", quantize_per_tensor),
        op!("aten::quantize_per_tensor.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, ScalarType dtype) -> Tensor", quantize_tensor_parameters),
        op!("aten::quantize_per_tensor.tensors(Tensor[] tensors, Tensor scales, Tensor zero_points, ScalarType dtype) -> Tensor[]", quantize_tensors),
        op!("aten::quantize_per_tensor_dynamic(Tensor self, ScalarType dtype, bool reduce_range) -> Tensor", quantize_dynamic),
        op!("aten::quantize_per_channel(Tensor self, Tensor scales, Tensor zero_points, int axis, ScalarType dtype) -> Tensor", quantize_per_channel),
        op!("aten::_make_per_tensor_quantized_tensor(Tensor self, float scale, int zero_point) -> Tensor", make_per_tensor),
        op!("aten::_make_per_channel_quantized_tensor(Tensor self, Tensor scale, Tensor zero_point, int axis) -> Tensor", make_per_channel),
        op!("aten::_choose_qparams_per_tensor(Tensor self, bool reduce_range=False) -> (float, int)", choose),
        op!("aten::dequantize.self(Tensor self) -> Tensor", dequantize).quantized(Quantized::Native),
        op!("aten::dequantize.tensor(Tensor qtensor) -> Tensor", dequantize).quantized(Quantized::Native),
        op!("aten::dequantize.tensors(Tensor[] tensors) -> Tensor[]", dequantize_all).quantized(Quantized::Native),
        op!("aten::dequantize.list(Tensor[] qtensors) -> Tensor[]", dequantize_all).quantized(Quantized::Native),
        op!("aten::dequantize.any(Any tensors) -> Any", dequantize_any).quantized(Quantized::Native),
        op!("aten::int_repr(Tensor self) -> Tensor", int_repr).quantized(Quantized::Native),
        op!("aten::q_scale(Tensor self) -> float", q_scale),
        op!("aten::q_zero_point(Tensor self) -> int", q_zero_point),
        op!("aten::q_per_channel_scales(Tensor self) -> Tensor", q_per_channel_scales).quantized(Quantized::Native),
        op!("aten::q_per_channel_zero_points(Tensor self) -> Tensor", q_per_channel_zero_points).quantized(Quantized::Native),
        op!("aten::q_per_channel_axis(Tensor self) -> int", q_per_channel_axis),
        op!("aten::qscheme(Tensor self) -> QScheme", qscheme).dispatch(Dispatch::Never),
    ];
}

/// Only floats become quantized, and only integers of the dtype can be zero points.
fn check(x: &Tensor, zero_point: i64, dtype: DType) -> Result<()> {
    if x.dtype() != DType::F32 {
        return Err(Fault::runtime(format!(
            "Quantize only works on Float Tensor, got {}",
            x.dtype().class_name()
        )));
    }
    if !dtype.is_quantized() {
        return Err(Fault::runtime(format!(
            "ScalarType {} is not supported in new_qtensor.",
            dtype.class_name()
        )));
    }
    let (least, greatest) = rushlight_tensor::quantized_bounds(dtype);
    let side = if zero_point < least {
        "below lower"
    } else if zero_point > greatest {
        "above upper"
    } else {
        return Ok(());
    };
    Err(Fault::runtime(format!(
        "quantize_tensor_per_tensor_affine zero_point {zero_point} is {side} bound."
    )))
}

fn quantize_per_tensor(x: &Tensor, scale: f64, zero_point: i64, dtype: AnyDType) -> Result<Tensor> {
    check(x, zero_point, dtype.0)?;
    quantize(x, scale, zero_point, dtype.0)
}

fn quantize_tensor_parameters(
    x: &Tensor,
    scale: &Tensor,
    zero_point: &Tensor,
    dtype: AnyDType,
) -> Result<Tensor> {
    let (scale, zero_point) = (scale.item()?.to_f64(), zero_point.item()?.to_i64());
    quantize_per_tensor(x, scale, zero_point, dtype)
}

fn quantize_tensors(
    tensors: Vec<Tensor>,
    scales: &Tensor,
    zero_points: &Tensor,
    dtype: AnyDType,
) -> Result<Vec<Tensor>> {
    let (scales, zero_points): (Vec<f64>, Vec<i64>) = (scales.to_vec(), zero_points.to_vec());
    if scales.len() != tensors.len() || zero_points.len() != tensors.len() {
        return Err(Fault::runtime(
            "quantize_per_tensor takes one scale and one zero point for each tensor",
        ));
    }
    let parameters = scales.into_iter().zip(zero_points);
    tensors
        .iter()
        .zip(parameters)
        .map(|(x, (scale, zero_point))| quantize_per_tensor(x, scale, zero_point, dtype))
        .collect()
}

/// Scale and zero point with which the numbers of a tensor, and zero, fit into eight bits (seven when `reduced`).
pub(super) fn choose_parameters(x: &Tensor, reduced: bool) -> (f64, i64) {
    range_parameters(x, 0, if reduced { 127 } else { 255 })
}

fn range_parameters(x: &Tensor, least: i64, greatest: i64) -> (f64, i64) {
    let values: Vec<f32> = x.to_vec();
    let low = values.iter().copied().fold(0.0f32, f32::min);
    let high = values.iter().copied().fold(0.0f32, f32::max);
    let (low, high) = (f64::from(low), f64::from(high));
    let mut scale = (high - low) / (greatest - least) as f64;
    if (scale as f32) == 0.0 || (1.0 / scale as f32).is_infinite() {
        scale = 0.1;
    }
    let (least, greatest) = (least as f64, greatest as f64);
    // The zero point is computed from the end whose error is smaller.
    let from_low = least - low / scale;
    let from_high = greatest - high / scale;
    let low_error = least.abs() + (low / scale).abs();
    let high_error = greatest.abs() + (high / scale).abs();
    let initial = if low_error < high_error {
        from_low
    } else {
        from_high
    };
    let zero_point = initial.clamp(least, greatest).round_ties_even();
    (scale, zero_point as i64)
}

fn quantize_dynamic(x: &Tensor, AnyDType(dtype): AnyDType, reduced: bool) -> Result<Tensor> {
    let (least, greatest) = match (dtype, reduced) {
        (DType::QU8, false) => (0, 255),
        (DType::QU8, true) => (0, 127),
        (DType::QI8, false) => (-128, 127),
        (DType::QI8, true) => (-64, 63),
        _ => {
            return Err(Fault::runtime(format!(
                "dtype {}not supported",
                dtype.class_name()
            )));
        }
    };
    let (scale, zero_point) = range_parameters(x, least, greatest);
    quantize_per_tensor(x, scale, zero_point, AnyDType(dtype))
}

fn channels(scales: &Tensor, zero_points: &Tensor, axis: i64, rank: usize) -> Result<Quantizer> {
    let fail = |message: String| Err(Fault::runtime(message));
    if scales.rank() != 1 {
        return fail("scale tensor must have dimension 1".to_string());
    }
    if scales.numel() != zero_points.numel() {
        return fail("number of elements in scales and zero_points must match".to_string());
    }
    let Some(axis) = usize::try_from(axis).ok().filter(|axis| *axis < rank) else {
        return fail(format!(
            "Channel axis out of range in per channel affine quantization. Got: {axis}Expected: [0, {rank})"
        ));
    };
    Ok(Quantizer::Channel {
        scales: scales.to_vec(),
        zero_points: zero_points.to_vec(),
        axis,
        floating: zero_points.dtype().is_float(),
    })
}

fn quantize_per_channel(
    x: &Tensor,
    scales: &Tensor,
    zero_points: &Tensor,
    axis: i64,
    dtype: AnyDType,
) -> Result<Tensor> {
    check(x, 0, dtype.0)?;
    Arc::new(channels(scales, zero_points, axis, x.rank())?).quantize(x, dtype.0)
}

fn made(x: &Tensor, quantizer: &Arc<Quantizer>) -> Result<Tensor> {
    quantizer.check(x.sizes())?;
    let copy = Tensor::empty(x.sizes(), x.dtype())?;
    copy.copy_from(x)?;
    copy.as_quantized(quantizer).ok_or_else(|| {
        Fault::runtime("Creation of quantized tensor requires quantized dtype like torch.quint8")
    })
}

fn make_per_tensor(x: &Tensor, scale: f64, zero_point: i64) -> Result<Tensor> {
    made(x, &uniform(scale, zero_point))
}

fn make_per_channel(
    x: &Tensor,
    scales: &Tensor,
    zero_points: &Tensor,
    axis: i64,
) -> Result<Tensor> {
    let quantizer = channels(scales, zero_points, axis, x.rank())?;
    made(x, &Arc::new(quantizer))
}

/// Floats of any width become float32, as by the reference.
fn dequantize(x: &Tensor) -> Result<Tensor> {
    match x.quantizer() {
        Some(_) => Ok(x.dequantized()),
        None if x.dtype() == DType::F32 => Ok(x.clone()),
        None => Tensor::from_vec(x.to_vec::<f32>(), x.sizes()),
    }
}

fn dequantize_all(tensors: Vec<Tensor>) -> Result<Vec<Tensor>> {
    tensors.iter().map(dequantize).collect()
}

fn dequantize_any(value: &Value) -> Result<Value> {
    match value {
        Value::Tensor(t) => dequantize(t).map(Value::Tensor),
        Value::TensorList(list) => {
            let tensors = list.lock().clone();
            Ok(Value::TensorList(dequantize_all(tensors)?.into()))
        }
        Value::Tuple(tuple) => {
            let items: Result<Vec<Value>> = tuple.items.iter().map(dequantize_any).collect();
            Ok(Value::tuple(items?))
        }
        other => Ok(other.clone()),
    }
}

fn int_repr(x: &Tensor) -> Result<Tensor> {
    quantizer("aten::int_repr", x)?;
    let stored = x.stored();
    let out = Tensor::empty(stored.sizes(), stored.dtype())?;
    out.copy_from(&stored)?;
    Ok(out)
}

fn q_scale(x: &Tensor) -> Result<f64> {
    scale_of("aten::q_scale", x).map(|(scale, _)| scale)
}

fn q_zero_point(x: &Tensor) -> Result<i64> {
    scale_of("aten::q_zero_point", x).map(|(_, zero_point)| zero_point)
}

/// What a tensor with a scale for each slice along an axis has, and the axis.
fn per_channel<'t>(name: &str, x: &'t Tensor) -> Result<(&'t Quantizer, usize)> {
    match &**quantizer(name, x)? {
        quantizer @ Quantizer::Channel { axis, .. } => Ok((quantizer, *axis)),
        Quantizer::Tensor { .. } => Err(Fault::not_true(
            "quantizer->qscheme() == kPerChannelAffine || quantizer->qscheme() == kPerChannelAffineFloatQParams",
        )),
    }
}

fn q_per_channel_scales(x: &Tensor) -> Result<Tensor> {
    per_channel("aten::q_per_channel_scales", x)?.0.scales()
}

fn q_per_channel_zero_points(x: &Tensor) -> Result<Tensor> {
    let (quantizer, _) = per_channel("aten::q_per_channel_zero_points", x)?;
    quantizer.zero_points()
}

fn q_per_channel_axis(x: &Tensor) -> Result<i64> {
    per_channel("aten::q_per_channel_axis", x).map(|(_, axis)| axis as i64)
}

fn qscheme(x: &Tensor) -> Result<i64> {
    quantizer("aten::qscheme", x).map(|q| q.scheme())
}

fn choose(x: &Tensor, reduced: bool) -> Result<(f64, i64)> {
    Ok(choose_parameters(x, reduced))
}
