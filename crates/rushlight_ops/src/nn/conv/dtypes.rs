//! Whether input, weight and bias of a convolution have the same dtype. The reference refuses others at several depths, each
//! with its own words.

use rushlight_tensor::{DType, Fault, Result, Tensor};

/// Raises where dtypes differ.
pub(super) fn check(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    transposed: bool,
    dims: usize,
) -> Result<()> {
    let dtype = input.dtype();
    if let Some(bias) = bias.filter(|b| b.dtype() != dtype && !transposed) {
        return Err(Fault::runtime(format!(
            "Input type ({}) and bias type ({}) should be the same",
            type_name(dtype),
            type_name(bias.dtype())
        )));
    }
    let small = dtype.is_integral(false) && dtype != DType::I64;
    if dtype == DType::Bool || transposed && small {
        let kernel = match (transposed, dims) {
            (false, 3) => "compute_columns3d",
            (false, _) => "slow_conv2d_cpu",
            (true, 3) => "slow_conv_transpose3d_out_cpu",
            (true, _) => "slow_conv_transpose2d_out_cpu",
        };
        return Err(Fault::not_implemented(format!(
            "\"{kernel}\" not implemented for '{}'",
            dtype.class_name()
        )));
    }
    for (what, tensor) in [("weight", Some(weight)), ("bias", bias)] {
        if let Some(tensor) = tensor.filter(|t| t.dtype() != dtype) {
            return Err(differing(dtype, tensor.dtype(), what));
        }
    }
    Ok(())
}

fn differing(input: DType, other: DType, what: &str) -> Fault {
    let (own, theirs) = (input.class_name(), other.class_name());
    Fault::runtime(match input {
        DType::F16 | DType::F32 => format!(
            "Input type (torch.{own}Tensor) and {what} type (torch.{theirs}Tensor) should be the same or input should be a \
             MKLDNN tensor and {what} is a dense tensor"
        ),
        DType::BF16 => format!(
            "Input type (CPU{own}Type) and {what} type (torch.{theirs}Tensor) should be the same or input should be a MKLDNN \
             tensor and {what} is a dense tensor"
        ),
        other if other.is_complex() => format!(
            "Input type (CPU{own}Type) and {what} type (torch.{theirs}Tensor) should be the same"
        ),
        _ => format!("expected scalar type {own} but found {theirs}"),
    })
}

/// C++ names of dtypes as the convolution's messages print them.
fn type_name(dtype: DType) -> &'static str {
    match dtype {
        DType::I64 => "long int",
        DType::I16 => "short int",
        other => other.scalar_name(),
    }
}
