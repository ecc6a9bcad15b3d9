//! Convolutions with the rectifier that follows them, which bring their results into its range as they write them.

use super::{Ints, Options, check, result_format};
use rushlight_kernels::nn::conv::forward;
use rushlight_kernels::nn::conv::within::Within;
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{Value, op, operators};

operators! {
    /// The reference's name for them. Of its activations these are known: none, `relu` and `hardtanh`.
    pub static ROWS = [
        op!("mkldnn::_convolution_pointwise(Tensor X, Tensor W, Tensor? B, int[] padding, int[] stride, int[] dilation, int groups, str attr, Scalar?[] scalars, str? algorithm) -> Tensor Y", pointwise),
    ];
}

#[expect(clippy::too_many_arguments, reason = "the schema's")]
fn pointwise(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    padding: Ints,
    stride: Ints,
    dilation: Ints,
    groups: i64,
    name: &str,
    numbers: &Value,
    _algorithm: Option<&str>,
) -> Result<Tensor> {
    let within = range(name, &numbers.list_items()?)?;
    if input.dtype() != DType::F32 || weight.dtype() != DType::F32 {
        return Err(Fault::runtime(format!(
            "mkldnn::_convolution_pointwise takes tensors of Float, not {} and {}",
            input.dtype(),
            weight.dtype()
        )));
    }
    if weight.rank() >= 3 && input.rank() + 1 == weight.rank() {
        let one = input.unsqueeze(0)?;
        return pointwise(
            &one, weight, bias, padding, stride, dilation, groups, name, numbers, None,
        )?
        .select(0, 0);
    }
    let options = Options {
        stride: &stride,
        padding: &padding,
        dilation: &dilation,
        output_padding: &[0],
        transposed: false,
        groups,
    };
    let geometry = check(input, weight, bias, &options, false)?;
    let sizes = geometry.output_sizes()?;
    forward::compute_within(&geometry, input, weight, bias, &sizes, within)?
        .contiguous_in(result_format(input, weight))
}

/// The range of an activation.
fn range(name: &str, numbers: &[Value]) -> Result<Within> {
    match (name, numbers) {
        ("none", []) => Ok(Within::ALL),
        ("relu", []) => Ok(Within {
            low: 0.0,
            ..Within::ALL
        }),
        ("hardtanh", [low, high]) => Ok(Within {
            low: low.as_scalar()?.to_f64() as f32,
            high: high.as_scalar()?.to_f64() as f32,
        }),
        _ => Err(Fault::runtime(format!(
            "mkldnn::_convolution_pointwise knows the activations none and relu without numbers and hardtanh with two, not '{name}' with {}",
            numbers.len()
        ))),
    }
}
