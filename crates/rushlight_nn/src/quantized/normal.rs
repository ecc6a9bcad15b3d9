//! Normalisations of quantized tensors.

use super::{ResultScale, apply, numbers, quantize};
use rushlight_tensor::{Result, Tensor};
use rushlight_types::{Context, Value, arguments, op, operators};
use smallvec::SmallVec;

operators! {
    /// Normalisations.
    pub static ROWS = [
        op!("quantized::batch_norm(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", batch_norm::<false>),
        op!("quantized::batch_norm_relu(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", batch_norm::<true>),
        op!("quantized::batch_norm1d(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", batch_norm::<false>),
        op!("quantized::batch_norm1d_relu(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", batch_norm::<true>),
        op!("quantized::batch_norm2d(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", batch_norm::<false>),
        op!("quantized::batch_norm2d_relu(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", batch_norm::<true>),
        op!("quantized::batch_norm3d(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", batch_norm::<false>),
        op!("quantized::batch_norm3d_relu(Tensor qx, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, float eps, float output_scale, int output_zero_point) -> Tensor", batch_norm::<true>),
        op!("quantized::layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps, float output_scale, int output_zero_point) -> Tensor", layer_norm),
        op!("quantized::group_norm(Tensor input, int num_groups, Tensor? weight, Tensor? bias, float eps, float output_scale, int output_zero_point) -> Tensor", group_norm),
        op!("quantized::instance_norm(Tensor input, Tensor? weight, Tensor? bias, float eps, float output_scale, int output_zero_point) -> Tensor", instance_norm),
    ];
}

fn optional(tensor: Option<&Tensor>) -> Value {
    tensor.map_or(Value::None, |t| Value::Tensor(t.clone()))
}

arguments! {
    /// The parameters per channel.
    struct Channels<'a> {
        weight: Option<&'a Tensor>,
        bias: Option<&'a Tensor>,
        mean: &'a Tensor,
        variance: &'a Tensor,
    }
}

fn batch_norm<const RELU: bool>(
    cx: &Context,
    x: &Tensor,
    channels: Channels<'_>,
    eps: f64,
    result: ResultScale,
) -> Result<Tensor> {
    let arguments = vec![
        Value::Tensor(numbers("quantized::batch_norm", x)?),
        optional(channels.weight),
        optional(channels.bias),
        Value::Tensor(channels.mean.clone()),
        Value::Tensor(channels.variance.clone()),
        Value::Bool(false),
        Value::Float(0.0),
        Value::Float(eps),
        Value::Bool(false),
    ];
    let out = apply(cx, "aten::batch_norm", arguments)?;
    let out = match RELU {
        true => apply(cx, "aten::relu", vec![Value::Tensor(out)])?,
        false => out,
    };
    quantize(&out, result.scale, result.zero_point, x.dtype())
}

fn layer_norm(
    cx: &Context,
    x: &Tensor,
    shape: SmallVec<[i64; 6]>,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    eps: f64,
    result: ResultScale,
) -> Result<Tensor> {
    let shape = Value::IntList(shape.to_vec().into());
    let out = affine(
        cx,
        ["quantized::layer_norm", "aten::layer_norm"],
        x,
        shape,
        [weight, bias],
        eps,
    )?;
    quantize(&out, result.scale, result.zero_point, x.dtype())
}

fn group_norm(
    cx: &Context,
    x: &Tensor,
    groups: i64,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    eps: f64,
    result: ResultScale,
) -> Result<Tensor> {
    let groups = Value::Int(groups);
    let out = affine(
        cx,
        ["quantized::group_norm", "aten::group_norm"],
        x,
        groups,
        [weight, bias],
        eps,
    )?;
    quantize(&out, result.scale, result.zero_point, x.dtype())
}

/// The normalisation of the numbers by the plain operator, with what it goes over, weight and bias.
fn affine(
    cx: &Context,
    [own, plain]: [&str; 2],
    x: &Tensor,
    over: Value,
    [weight, bias]: [Option<&Tensor>; 2],
    eps: f64,
) -> Result<Tensor> {
    let arguments = vec![
        Value::Tensor(numbers(own, x)?),
        over,
        optional(weight),
        optional(bias),
        Value::Float(eps),
        Value::Bool(false),
    ];
    apply(cx, plain, arguments)
}

fn instance_norm(
    cx: &Context,
    x: &Tensor,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    eps: f64,
    result: ResultScale,
) -> Result<Tensor> {
    let channels = x.sizes().get(1).copied().unwrap_or(1) as i64;
    group_norm(cx, x, channels, weight, bias, eps, result)
}
