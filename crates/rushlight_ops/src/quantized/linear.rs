//! Linear layers with packed weights: between quantized tensors, and dynamic ones, which quantize their input themselves.

use super::convert::choose_parameters;
use super::packed::{self, Weights, requantize, rescale};
use super::{integers, quantizer, scale_of, uniform};
use crate::linalg::product::linear as product;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{Context, Layer, Object, op, operators};
use std::sync::Arc;

operators! {
    /// Linear layers.
    pub static ROWS = [
        op!("quantized::linear_prepack(Tensor W, Tensor? B=None) -> __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack", prepack),
        op!("quantized::linear_prepack_fp16(Tensor W, Tensor? B=None) -> __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack", prepack),
        op!("quantized::linear_unpack(__torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack) -> (Tensor W_origin, Tensor? B_origin)", unpack),
        op!("quantized::linear_unpack_fp16(__torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack) -> (Tensor W_origin, Tensor? B_origin)", unpack),
        op!("quantized::linear(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, float Y_scale_i, int Y_zero_point_i) -> Tensor Y", linear),
        op!("quantized::linear_relu(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, float Y_scale_i, int Y_zero_point_i) -> Tensor Y", linear_relu),
        op!("quantized::linear_dynamic(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, bool reduce_range=False) -> Tensor Y", linear_dynamic),
        op!("quantized::linear_relu_dynamic(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, bool reduce_range=False) -> Tensor Y", linear_relu_dynamic),
        op!("quantized::linear_dynamic_fp16(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack) -> Tensor Y", linear_half),
        op!("quantized::linear_relu_dynamic_fp16(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack) -> Tensor Y", linear_relu_half),
    ];
}

fn prepack(weight: &Tensor, bias: Option<&Tensor>) -> Result<Arc<Object>> {
    packed::pack_linear(weight, bias)
}

fn unpack(object: &Arc<Object>) -> Result<(Tensor, Option<Tensor>)> {
    let weights = packed::linear(object)?;
    Ok((weights.weight.clone(), weights.bias.clone()))
}

/// The exact sums of the integers.
fn sums(x: &Tensor, zero_free: &Tensor, weights: &Weights) -> Result<Tensor> {
    let (inputs, wanted) = (x.sizes().last().copied(), weights.integers.size(1));
    if inputs != Some(wanted) {
        return Err(Fault::runtime(format!(
            "The number of columns in the input tensor has to be equal to the number of columns of the weight: {} vs {wanted}",
            inputs.unwrap_or(0)
        )));
    }
    product(zero_free, &weights.integers, None)
}

fn static_layer(
    cx: &Context,
    x: &Tensor,
    object: &Object,
    output: (f64, i64),
    relu: bool,
) -> Result<Tensor> {
    cx.set_layer(Layer::Quantized, true);
    let weights = packed::linear(object)?;
    let (scale, _) = scale_of("quantized::linear", x)?;
    let centred = integers(x, quantizer("quantized::linear", x)?)?;
    let acc = sums(x, &centred, &weights)?;
    requantize(&acc, &weights, acc.rank() - 1, scale, output, relu)
}

fn linear(cx: &Context, x: &Tensor, object: &Arc<Object>, scale: f64, zero: i64) -> Result<Tensor> {
    static_layer(cx, x, object, (scale, zero), false)
}

fn linear_relu(
    cx: &Context,
    x: &Tensor,
    object: &Arc<Object>,
    scale: f64,
    zero: i64,
) -> Result<Tensor> {
    static_layer(cx, x, object, (scale, zero), true)
}

/// A layer on float32, whose input is quantized by its own range.
pub(super) fn dynamic(x: &Tensor, weights: &Weights, reduced: bool, relu: bool) -> Result<Tensor> {
    if weights.weight.quantizer().is_none() {
        return half(x, weights, relu);
    }
    let (scale, zero_point) = choose_parameters(x, reduced);
    let quantizer = uniform(scale, zero_point);
    let quantized = quantizer.quantize(x, DType::QU8)?;
    let acc = sums(x, &integers(&quantized, &quantizer)?, weights)?;
    rescale(&acc, weights, acc.rank() - 1, scale, relu)
}

fn linear_dynamic(x: &Tensor, object: &Arc<Object>, reduced: bool) -> Result<Tensor> {
    dynamic(x, &*packed::linear(object)?, reduced, false)
}

fn linear_relu_dynamic(x: &Tensor, object: &Arc<Object>, reduced: bool) -> Result<Tensor> {
    dynamic(x, &*packed::linear(object)?, reduced, true)
}

/// A layer whose weights went through float16.
fn half(x: &Tensor, weights: &Weights, relu: bool) -> Result<Tensor> {
    let narrow: Vec<rushlight_tensor::f16> = weights.weight.to_vec();
    let wide = narrow.into_iter().map(f32::from).collected();
    let weight = Tensor::from_vec(wide, weights.weight.sizes())?;
    let out = product(x, &weight, weights.bias.as_ref())?;
    if !relu {
        return Ok(out);
    }
    let values: Vec<f32> = out.to_vec();
    Tensor::from_vec(
        values.into_iter().map(|v| v.max(0.0)).collected(),
        out.sizes(),
    )
}

fn linear_half(x: &Tensor, object: &Arc<Object>) -> Result<Tensor> {
    half(x, &*packed::linear(object)?, false)
}

fn linear_relu_half(x: &Tensor, object: &Arc<Object>) -> Result<Tensor> {
    half(x, &*packed::linear(object)?, true)
}
