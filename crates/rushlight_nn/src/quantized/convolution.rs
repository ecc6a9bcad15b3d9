//! Convolutions with packed weights: between quantized tensors, and dynamic ones, which quantize their input themselves.

use super::convert::choose_parameters;
use super::finish::Scales;
use super::layers::{convolution_to_integers, sums_to_integers};
use super::packed::{self, Convolution, Plan};
use super::{ResultScale, integers, quantizer, scale_of, uniform};
use crate::nn::conv::{PlainSettings, Settings, convolution};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{Object, op, operators};
use smallvec::SmallVec;
use std::sync::Arc;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Convolutions.
    pub static ROWS = [
        op!("quantized::conv1d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase", prepack::<1>),
        op!("quantized::conv_transpose1d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] output_padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase", prepack_transposed::<1>),
        op!("quantized::conv1d_unpack(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> (Tensor unpacked_weights, Tensor? B_origin)", unpack::<1>),
        op!("quantized::conv_transpose1d_unpack(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> (Tensor unpacked_weights, Tensor? B_origin)", unpack::<1>),
        op!("quantized::conv1d(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", layer::<1, false>),
        op!("quantized::conv1d_relu(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", layer::<1, true>),
        op!("quantized::conv_transpose1d(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", layer::<1, false>),
        op!("quantized::conv1d_dynamic(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, bool reduce_range=False) -> Tensor", dynamic::<1>),
        op!("quantized::conv_transpose1d_dynamic(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, bool reduce_range=False) -> Tensor", dynamic::<1>),
        op!("quantized::conv2d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase", prepack::<2>),
        op!("quantized::conv_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase", prepack::<2>),
        op!("quantized::conv_unpack(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> (Tensor unpacked_weights, Tensor? B_origin)", unpack::<2>),
        op!("quantized::conv_transpose2d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] output_padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv2dPackedParamsBase", prepack_transposed::<2>),
        op!("quantized::conv2d_unpack(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> (Tensor unpacked_weights, Tensor? B_origin)", unpack::<2>),
        op!("quantized::conv_transpose2d_unpack(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> (Tensor unpacked_weights, Tensor? B_origin)", unpack::<2>),
        op!("quantized::conv2d.new(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", layer::<2, false>),
        op!("quantized::conv2d_relu.new(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", layer::<2, true>),
        op!("quantized::conv2d_add(Tensor qx, Tensor qaccum, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", with_sum),
        op!("quantized::conv2d_add_relu(Tensor qx, Tensor qaccum, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", with_sum),
        op!("quantized::conv_transpose2d(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", layer::<2, false>),
        op!("quantized::conv2d_dynamic(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, bool reduce_range=False) -> Tensor", dynamic::<2>),
        op!("quantized::conv_transpose2d_dynamic(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weight, bool reduce_range=False) -> Tensor", dynamic::<2>),
        op!("quantized::conv2d(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase weight, int[] stride, int[] padding, int[] dilation, int groups, float output_scale, int output_zero_point) -> Tensor", old_layer::<2, false>),
        op!("quantized::conv2d_relu(Tensor qx, __torch__.torch.classes.quantized.Conv2dPackedParamsBase weight, int[] stride, int[] padding, int[] dilation, int groups, float output_scale, int output_zero_point) -> Tensor", old_layer::<2, true>),
        op!("quantized::conv2d_stride(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> int[]", stride),
        op!("quantized::conv2d_padding(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> int[]", padding),
        op!("quantized::conv2d_output_padding(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> int[]", output_padding),
        op!("quantized::conv2d_dilation(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> int[]", dilation),
        op!("quantized::conv2d_groups(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> int", groups),
        op!("quantized::conv2d_transpose(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> int", transpose),
        op!("quantized::conv_transpose2d_stride(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> int[]", stride),
        op!("quantized::conv_transpose2d_padding(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> int[]", padding),
        op!("quantized::conv_transpose2d_output_padding(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> int[]", output_padding),
        op!("quantized::conv_transpose2d_dilation(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> int[]", dilation),
        op!("quantized::conv_transpose2d_groups(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> int", groups),
        op!("quantized::conv_transpose2d_transpose(__torch__.torch.classes.quantized.Conv2dPackedParamsBase packed_weights) -> int", transpose),
        op!("quantized::conv3d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv3dPackedParamsBase", prepack::<3>),
        op!("quantized::conv_transpose3d_prepack(Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] output_padding, int[] dilation, int groups) -> __torch__.torch.classes.quantized.Conv3dPackedParamsBase", prepack_transposed::<3>),
        op!("quantized::conv3d_unpack(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> (Tensor unpacked_weights, Tensor? B_origin)", unpack::<3>),
        op!("quantized::conv_transpose3d_unpack(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> (Tensor unpacked_weights, Tensor? B_origin)", unpack::<3>),
        op!("quantized::conv3d.new(Tensor qx, __torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", layer::<3, false>),
        op!("quantized::conv3d_relu.new(Tensor qx, __torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", layer::<3, true>),
        op!("quantized::conv_transpose3d(Tensor qx, __torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weight, float output_scale, int output_zero_point) -> Tensor", layer::<3, false>),
        op!("quantized::conv3d_dynamic(Tensor qx, __torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weight, bool reduce_range=False) -> Tensor", dynamic::<3>),
        op!("quantized::conv_transpose3d_dynamic(Tensor qx, __torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weight, bool reduce_range=False) -> Tensor", dynamic::<3>),
        op!("quantized::conv3d(Tensor qx, __torch__.torch.classes.quantized.Conv3dPackedParamsBase weight, int[] stride, int[] padding, int[] dilation, int groups, float output_scale, int output_zero_point) -> Tensor", old_layer::<3, false>),
        op!("quantized::conv3d_relu(Tensor qx, __torch__.torch.classes.quantized.Conv3dPackedParamsBase weight, int[] stride, int[] padding, int[] dilation, int groups, float output_scale, int output_zero_point) -> Tensor", old_layer::<3, true>),
        op!("quantized::conv3d_stride(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> int[]", stride),
        op!("quantized::conv3d_padding(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> int[]", padding),
        op!("quantized::conv3d_output_padding(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> int[]", output_padding),
        op!("quantized::conv3d_dilation(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> int[]", dilation),
        op!("quantized::conv3d_groups(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> int", groups),
        op!("quantized::conv3d_transpose(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> int", transpose),
        op!("quantized::conv_transpose3d_stride(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> int[]", stride),
        op!("quantized::conv_transpose3d_padding(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> int[]", padding),
        op!("quantized::conv_transpose3d_output_padding(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> int[]", output_padding),
        op!("quantized::conv_transpose3d_dilation(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> int[]", dilation),
        op!("quantized::conv_transpose3d_groups(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> int", groups),
        op!("quantized::conv_transpose3d_transpose(__torch__.torch.classes.quantized.Conv3dPackedParamsBase packed_weights) -> int", transpose),
    ];
}

fn prepack<const DIMS: usize>(
    weight: &Tensor,
    bias: Option<&Tensor>,
    given: PlainSettings,
) -> Result<Arc<Object>> {
    let plan = Plan {
        dims: DIMS,
        stride: &given.stride,
        padding: &given.padding,
        dilation: &given.dilation,
        output_padding: &[0; DIMS],
        groups: given.groups,
        transposed: false,
    };
    packed::pack_convolution(weight, bias, &plan)
}

fn prepack_transposed<const DIMS: usize>(
    weight: &Tensor,
    bias: Option<&Tensor>,
    stride: Ints,
    padding: Ints,
    output_padding: Ints,
    dilation: Ints,
    groups: i64,
) -> Result<Arc<Object>> {
    let plan = Plan {
        dims: DIMS,
        stride: &stride,
        padding: &padding,
        dilation: &dilation,
        output_padding: &output_padding,
        groups,
        transposed: true,
    };
    packed::pack_convolution(weight, bias, &plan)
}

fn unpack<const DIMS: usize>(object: &Arc<Object>) -> Result<(Tensor, Option<Tensor>)> {
    let packed = packed::convolution(object)?;
    let weight = packed.weights.weight.clone();
    let weight = match (DIMS, weight.quantizer()) {
        (1, Some(quantizer)) => {
            let squeezed = weight.stored().select(2, 0)?;
            squeezed.as_quantized(quantizer).unwrap_or(squeezed)
        }
        _ => weight,
    };
    Ok((weight, packed.weights.bias.clone()))
}

fn ints(values: &[i64]) -> Ints {
    Ints::from_slice(values)
}

/// The exact sums and the sizes of the output, batch first and channels last, of any layer.
fn sums_of(x: &Tensor, layer: &Convolution) -> Result<(Vec<i32>, Vec<usize>)> {
    let centred = integers(x, quantizer("quantized::conv", x)?)?;
    let sums = convolution(
        &centred,
        layer.weights.integers()?,
        None,
        Settings {
            stride: ints(&layer.stride),
            padding: ints(&layer.padding),
            dilation: ints(&layer.dilation),
            transposed: layer.transposed,
            output_padding: ints(&layer.output_padding),
            groups: layer.groups,
        },
    )?;
    let mut order: Vec<usize> = (0..sums.rank()).collected();
    let channels = order.remove(1);
    order.push(channels);
    let sums = sums.view_with(sums.layout().permute(&order))?;
    let exact: Vec<f64> = sums.to_vec();
    let whole = exact.into_iter().map(|sum| sum as i64 as i32).collected();
    Ok((whole, memory::copied(sums.sizes())))
}

/// A picture or a volume of a batch, whatever the input has.
fn lifted(dims: usize, x: &Tensor) -> Result<Tensor> {
    let name = format!("quantized::conv{dims}d");
    if x.rank() != dims + 2 {
        return Err(Fault::runtime(format!(
            "{name}(): Expected {}D input, but got {}D",
            dims + 2,
            x.rank()
        )));
    }
    if dims > 1 {
        return Ok(x.clone());
    }
    let quantizer = quantizer("quantized::conv", x)?;
    let lifted = x.stored().unsqueeze(2)?;
    Ok(lifted.as_quantized(quantizer).unwrap_or(lifted))
}

fn lowered(dims: usize, out: Tensor) -> Result<Tensor> {
    if dims != 1 {
        return Ok(out);
    }
    match out.quantizer() {
        Some(quantizer) => {
            let squeezed = out.stored().select(2, 0)?;
            Ok(squeezed.as_quantized(quantizer).unwrap_or(squeezed))
        }
        None => out.select(2, 0),
    }
}

fn layer<const DIMS: usize, const RELU: bool>(
    x: &Tensor,
    object: &Arc<Object>,
    result: ResultScale,
) -> Result<Tensor> {
    let layer = packed::convolution(object)?;
    run::<DIMS>(x, &layer, result, RELU)
}

/// The layer on a quantized input.
fn run<const DIMS: usize>(
    x: &Tensor,
    layer: &Convolution,
    result: ResultScale,
    relu: bool,
) -> Result<Tensor> {
    let (input, _) = scale_of("quantized::conv", x)?;
    let scales = Scales {
        input,
        output: result.scale,
        zero_point: result.zero_point,
    };
    let x = lifted(DIMS, x)?;
    let (out, sizes) = match convolution_to_integers(&x, layer, &scales, relu)? {
        Some(known) => known,
        None => {
            let (sums, sizes) = sums_of(&x, layer)?;
            let channels = sizes.last().copied().unwrap_or(0);
            let out = sums_to_integers(&sums, layer, channels, &scales, relu)?;
            (out, sizes)
        }
    };
    let out = super::of_bytes(out, &sizes, result.scale, result.zero_point)?;
    // Results have their channels last in memory, whatever the input has; means round by where the channels are.
    let mut order: Vec<usize> = (0..out.rank()).collected();
    let last = order.pop().unwrap_or(0);
    order.insert(1.min(order.len()), last);
    lowered(DIMS, out.view_with(out.layout().permute(&order))?)
}

/// What the reference's engine for these processors has no kernel for, and refuses.
fn with_sum(
    _x: &Tensor,
    _sum: &Tensor,
    _object: &Arc<Object>,
    _result: ResultScale,
) -> Result<Tensor> {
    Err(Fault::runtime(
        "Didn't find engine for operation quantized::conv2d_add.X86",
    ))
}

fn old_layer<const DIMS: usize, const RELU: bool>(
    x: &Tensor,
    object: &Arc<Object>,
    _settings: PlainSettings,
    result: ResultScale,
) -> Result<Tensor> {
    layer::<DIMS, RELU>(x, object, result)
}

/// The input is quantized by its own range, and the result has the scale of the input before it becomes numbers.
fn dynamic<const DIMS: usize>(x: &Tensor, object: &Arc<Object>, reduced: bool) -> Result<Tensor> {
    let layer = packed::convolution(object)?;
    let (scale, zero_point) = choose_parameters(x, reduced);
    let quantized = uniform(scale, zero_point).quantize(x, DType::QU8)?;
    let result = ResultScale { scale, zero_point };
    Ok(run::<DIMS>(&quantized, &layer, result, false)?.dequantized())
}

macro_rules! facts {
    ($($name:ident: $type:ty = $take:expr;)*) => {$(
        fn $name(object: &Arc<Object>) -> Result<$type> {
            let take: fn(&Convolution) -> $type = $take;
            packed::convolution(object).map(|layer| take(&layer))
        }
    )*};
}
facts! {
    stride: Vec<i64> = |layer| layer.stride.clone();
    padding: Vec<i64> = |layer| layer.padding.clone();
    output_padding: Vec<i64> = |layer| layer.output_padding.clone();
    dilation: Vec<i64> = |layer| layer.dilation.clone();
    groups: i64 = |layer| layer.groups;
    transpose: i64 = |layer| i64::from(layer.transposed);
}
