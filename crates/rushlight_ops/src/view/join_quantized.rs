//! Quantized tensors joined along a dimension: what `cat` and the operators of layers on quantized tensors share.

use rushlight_lang::whole_table;
use rushlight_quantized::{floor_at_zero, lanes, numbers, quantize, scale_of};
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Fault, MemoryFormat, Quantizer, Result, Tensor};
use rushlight_types::{Context, Value};

/// Joins quantized tensors, in the scale of the first where none is given, and with the floor at zero where that is asked for.
pub fn cat<const RELU: bool>(
    cx: &Context,
    tensors: Vec<Tensor>,
    dim: i64,
    scale: Option<f64>,
    zero_point: Option<i64>,
) -> Result<Tensor> {
    let Some(first) = tensors.first() else {
        return Err(Fault::runtime(
            "quantized::cat(): expected a non-empty list of Tensors",
        ));
    };
    let has_channels =
        |t: &Tensor| matches!(t.quantizer().map(|q| &**q), Some(Quantizer::Channel { .. }));
    if tensors.iter().any(has_channels) {
        return Err(Fault::runtime(
            "Only per-tensor quantization is supported in 'cat'!",
        ));
    }
    let (own_scale, own_zero_point) = scale_of("quantized::cat", first)?;
    let output = (
        scale.unwrap_or(own_scale),
        zero_point.unwrap_or(own_zero_point),
    );
    if joins_channels(&tensors, dim)? {
        return lanes::join_channels("quantized::cat", &tensors, output, RELU);
    }
    let plain = tensors
        .iter()
        .map(|t| numbers("quantized::cat", t))
        .collect::<Result<Vec<_>>>()?;
    let joined = whole_table::call(
        cx,
        "aten::cat",
        vec![Value::TensorList(plain.into()), Value::Int(dim)],
    )?;
    let joined = floor_at_zero::<RELU>(joined)?;
    quantize(&joined, output.0, output.1, first.dtype())
}

/// Whether tensors are pictures with their channels last that are joined along the channels.
fn joins_channels(tensors: &[Tensor], dim: i64) -> Result<bool> {
    let first = &tensors[0];
    let picture = |t: &Tensor| {
        t.rank() == 4
            && t.dtype() == first.dtype()
            && t.dtype().size() == 1
            && t.layout().is_contiguous_in(MemoryFormat::ChannelsLast)
            && [0, 2, 3].iter().all(|d| t.size(*d) == first.size(*d))
    };
    Ok(first.rank() == 4 && wrap_dim(dim, 4)? == 1 && tensors.iter().all(picture))
}
