//! Whether input, weight and bias of a convolution have the same dtype. The reference refuses others at several depths, each
//! with its own words.

use rushlight_tensor::{DType, Fault, Result, Tensor};

/// Raises where the bias is of another dtype than the input.
pub fn check_bias(input: &Tensor, bias: Option<&Tensor>) -> Result<()> {
    let dtype = input.dtype();
    match bias.filter(|b| b.dtype() != dtype) {
        None => Ok(()),
        Some(bias) => Err(Fault::runtime(format!(
            "Input type ({}) and bias type ({}) should be the same",
            dtype.scalar_name(),
            bias.dtype().scalar_name()
        ))),
    }
}

/// Raises where dtypes differ.
pub fn check(
    input: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    transposed: bool,
    dilated: bool,
    dims: usize,
) -> Result<()> {
    let dtype = input.dtype();
    check_bias(input, bias.filter(|_| !transposed))?;
    let small = dtype.is_integral(false) && dtype != DType::I64;
    let dilated = dilated && !transposed;
    if dtype == DType::Bool || (transposed || dilated) && small {
        let kernel = match (transposed, dims) {
            _ if dilated => "slow_conv_dilated<>",
            // Where windows are single elements there are no columns to make.
            (false, 3) if weight.sizes().iter().skip(2).all(|size| *size == 1) => "slow_conv3d_cpu",
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
            let fast = is_worth_preparing(input, weight);
            return Err(differing(dtype, tensor.dtype(), what, fast));
        }
    }
    Ok(())
}

/// Whether the reference prepares a convolution of float32 for its fast path, which has words of its own.
fn is_worth_preparing(input: &Tensor, weight: &Tensor) -> bool {
    const MANY_ELEMENTS: usize = 20480;
    let kernel = &weight.sizes()[weight.rank().min(2)..];
    let wide = kernel.len() > 1 && kernel[kernel.len() - 2..].iter().all(|size| *size > 3);
    wide || input.sizes().first().is_some_and(|batch| *batch > 1) || input.numel() > MANY_ELEMENTS
}

fn differing(input: DType, other: DType, what: &str, fast: bool) -> Fault {
    let types = format!(
        "Input type ({}) and {what} type ({}) should be the same",
        input.tensor_type_name(),
        other.tensor_type_name()
    );
    Fault::runtime(match input {
        DType::F32 if !fast => expected(input, other),
        DType::F16 | DType::F32 | DType::BF16 => {
            format!("{types} or input should be a MKLDNN tensor and {what} is a dense tensor")
        }
        own if own.is_complex() => types,
        _ => expected(input, other),
    })
}

fn expected(input: DType, other: DType) -> String {
    format!(
        "expected scalar type {} but found {}",
        input.class_name(),
        other.class_name()
    )
}
