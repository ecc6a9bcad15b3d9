//! Linear layers with packed weights: between quantized tensors, and dynamic ones, which quantize their input themselves.

use super::convert::choose_parameters;
use super::finish::Scales;
use super::layers::{linear_to_integers, linear_to_numbers};
use super::packed::{self, Weights};
use super::{ResultScale, scale_of, uniform};
use rushlight_kernels::isa::multiversion;
use rushlight_tensor::memory;
use rushlight_tensor::{DType, Fault, Result, Tensor, watch};
use rushlight_types::{Object, op, operators};
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
        op!("quantized::linear_leaky_relu(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, float Y_scale_i, int Y_zero_point_i, float negative_slope) -> Tensor Y", linear_leaky_relu),
        op!("quantized::linear_tanh(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, float Y_scale_i, int Y_zero_point_i) -> Tensor Y", linear_tanh),
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

fn result_sizes(x: &Tensor, weights: &Weights) -> Result<Vec<usize>> {
    let (inputs, wanted) = (x.sizes().last().copied(), weights.weight.size(1));
    if inputs != Some(wanted) {
        return Err(Fault::runtime(format!(
            "The number of rows in the packB should be equal to K: {}",
            inputs.unwrap_or(0)
        )));
    }
    let mut sizes = memory::copied(x.sizes());
    if let Some(last) = sizes.last_mut() {
        *last = weights.weight.size(0);
    }
    Ok(sizes)
}

fn static_layer(x: &Tensor, object: &Object, result: ResultScale, relu: bool) -> Result<Tensor> {
    let weights = packed::linear(object)?;
    let (input, _) = scale_of("quantized::linear", x)?;
    let sizes = result_sizes(x, &weights)?;
    let scales = Scales {
        input,
        output: result.scale,
        zero_point: result.zero_point,
    };
    let out = linear_to_integers(x, &weights, &scales, relu)?;
    super::of_bytes(out, &sizes, result.scale, result.zero_point)
}

fn linear(x: &Tensor, object: &Arc<Object>, result: ResultScale) -> Result<Tensor> {
    static_layer(x, object, result, false)
}

fn linear_relu(x: &Tensor, object: &Arc<Object>, result: ResultScale) -> Result<Tensor> {
    static_layer(x, object, result, true)
}

/// What the reference's engine for these processors has no kernel for, and refuses.
fn linear_leaky_relu(
    _x: &Tensor,
    _object: &Arc<Object>,
    _result: ResultScale,
    _slope: f64,
) -> Result<Tensor> {
    Err(Fault::runtime(
        "Didn't find engine for operation quantized::linear_leaky_relu X86",
    ))
}

/// As [`linear_leaky_relu`].
fn linear_tanh(_x: &Tensor, _object: &Arc<Object>, _result: ResultScale) -> Result<Tensor> {
    Err(Fault::runtime(
        "Didn't find engine for operation quantized::linear_tanh X86",
    ))
}

/// Layers that quantize their inputs take float32 alone.
fn check_float(x: &Tensor) -> Result<()> {
    match x.dtype() {
        DType::F32 => Ok(()),
        other => Err(Fault::runtime(format!(
            "expected scalar type Float but found {}",
            other.class_name()
        ))),
    }
}

/// A layer on float32, whose input is quantized by its own range.
pub(super) fn dynamic(x: &Tensor, weights: &Weights, reduced: bool, relu: bool) -> Result<Tensor> {
    if weights.weight.quantizer().is_none() {
        return half(x, weights, relu);
    }
    check_float(x)?;
    if x.rank() < 2 {
        return Err(Fault::runtime(
            "The dimension of input tensor should be larger than or equal to 2",
        ));
    }
    let sizes = result_sizes(x, weights)?;
    let (scale, zero_point) = choose_parameters(x, reduced);
    let quantized = uniform(scale, zero_point).quantize(&x.contiguous(), DType::QU8)?;
    let bytes = quantized.stored();
    let input = (scale, zero_point as i32);
    let rows = memory::numel(&sizes[..sizes.len() - 1]);
    let out = linear_to_numbers(&bytes.data::<u8>(), rows, input, weights, relu)?;
    Ok(out.into_tensor(&sizes))
}

fn linear_dynamic(x: &Tensor, object: &Arc<Object>, reduced: bool) -> Result<Tensor> {
    dynamic(x, &*packed::linear(object)?, reduced, false)
}

fn linear_relu_dynamic(x: &Tensor, object: &Arc<Object>, reduced: bool) -> Result<Tensor> {
    dynamic(x, &*packed::linear(object)?, reduced, true)
}

/// Products of a layer in float16 that are added up before they join the rest.
const HALF_BLOCK: usize = 512;

/// A layer whose weights went through float16.
fn half(x: &Tensor, weights: &Weights, relu: bool) -> Result<Tensor> {
    check_float(x)?;
    let wanted = match x.sizes().last() {
        None => {
            return Err(rushlight_tensor::view::no_dimensions(-1));
        }
        Some(width) if *width != weights.weight.size(1) => {
            Some("input.size(input.dim() - 1) == packed_weight_fp16.numRows()")
        }
        Some(_) => (x.rank() < 2).then_some("input.dim() >= 2"),
    };
    if let Some(wanted) = wanted {
        return Err(Fault::not_true(wanted));
    }
    let sizes = result_sizes(x, weights)?;
    let narrow: Vec<rushlight_tensor::f16> = weights.weight.to_vec();
    let (channels, depth) = (weights.weight.size(0), weights.weight.size(1));
    // By input, so that the outputs of an input stand together.
    let mut turned = memory::filled(narrow.len(), 0f32);
    for (i, value) in narrow.into_iter().enumerate() {
        turned[i % depth * channels + i / depth] = f32::from(value);
    }
    let bias = weights.biases(channels)?;
    let x: Vec<f32> = x.to_vec();
    let mut out = memory::filled(memory::numel(&sizes), 0f32);
    let mut part = memory::filled(channels, 0f32);
    for (i, out) in out.chunks_mut(channels.max(1)).enumerate() {
        watch::poll();
        out.copy_from_slice(&bias);
        let row = &x[i * depth..(i + 1) * depth];
        let blocks = turned.chunks((HALF_BLOCK * channels).max(1));
        for (row, weights) in row.chunks(HALF_BLOCK).zip(blocks) {
            part.fill(0.0);
            for (x, weights) in row.iter().zip(weights.chunks(channels.max(1))) {
                add_scaled(&mut part, *x, weights);
            }
            out.iter_mut()
                .zip(&part)
                .for_each(|(out, part)| *out += part);
        }
        if relu {
            out.iter_mut().for_each(|out| *out = out.max(0.0));
        }
    }
    Tensor::from_vec(out, &sizes)
}

multiversion! {
    fn add_scaled(sums: &mut [f32], x: f32, weights: &[f32]) = run_scaled
}

#[inline(always)]
fn run_scaled<const FUSED: bool>(sums: &mut [f32], x: f32, weights: &[f32]) {
    for (sum, weight) in sums.iter_mut().zip(weights) {
        *sum = weight.mul_add(x, *sum);
    }
}

fn linear_half(x: &Tensor, object: &Arc<Object>) -> Result<Tensor> {
    half(x, &*packed::linear(object)?, false)
}

fn linear_relu_half(x: &Tensor, object: &Arc<Object>) -> Result<Tensor> {
    half(x, &*packed::linear(object)?, true)
}
