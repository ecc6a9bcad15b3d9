//! Fractional max pooling: windows of fixed size whose starts follow a random sequence handed in.

use super::{Ints, Shape, comparison_dtype, result_sizes};
use rushlight_kernels::nn::pool::fractional::{maxima, starts};
use rushlight_ops::op_out_exact;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Buffer, DType, Fault, Result, Tensor, dispatch};
use rushlight_types::{op, operators};

operators! {
    /// Fractional max pooling.
    pub static ROWS = [
        op!("aten::fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> (Tensor, Tensor)", fractional_max_pool2d),
        op!("aten::fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> (Tensor, Tensor)", fractional_max_pool3d),
        op_out_exact!("aten::fractional_max_pool2d.output(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples, *, Tensor(a!) output, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))", fractional_max_pool2d),
        op_out_exact!("aten::fractional_max_pool3d.output(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples, *, Tensor(a!) output, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))", fractional_max_pool3d),
    ];
}

fn fractional_max_pool2d(
    t: &Tensor,
    kernel: Ints,
    output: Ints,
    samples: &Tensor,
) -> Result<(Tensor, Tensor)> {
    pool("fractional_max_pool2d", t, 2, &kernel, &output, samples)
}

fn fractional_max_pool3d(
    t: &Tensor,
    kernel: Ints,
    output: Ints,
    samples: &Tensor,
) -> Result<(Tensor, Tensor)> {
    pool("fractional_max_pool3d", t, 3, &kernel, &output, samples)
}

fn pool(
    name: &str,
    t: &Tensor,
    dims: usize,
    kernel: &[i64],
    output: &[i64],
    samples: &Tensor,
) -> Result<(Tensor, Tensor)> {
    let fail = |message: String| Err(Fault::runtime(message));
    for (what, list) in [("kernel_size", kernel), ("output_size", output)] {
        if list.len() != dims {
            let three = if dims == 3 { "three " } else { "" };
            return fail(format!(
                "{name}: {what} must either be a single Int or tuple of {three}Ints"
            ));
        }
    }
    if kernel.iter().any(|k| *k < 1) {
        let kernel = kernel.iter().map(i64::to_string).collected().join("x");
        return fail(format!(
            "{name}(): kernel size should be greater than zero, but got {kernel}"
        ));
    }
    let own = if dims == 3 {
        "fractional_max_pool3d_out"
    } else {
        name
    };
    if t.rank() != dims + 1 && t.rank() != dims + 2 {
        return fail(format!(
            "{own}(): Expected {}D or {}D tensor, but got: {}",
            dims + 1,
            dims + 2,
            list(t.sizes())
        ));
    }
    let batched = (t.rank() == dims + 2) as usize;
    if let Some(d) = (batched..t.rank()).find(|d| t.size(*d) == 0) {
        return fail(format!(
            "{own}(): Expected input to have non-zero size for non-batch dimensions, but got{} with dimension {d} being empty.",
            list(t.sizes())
        ));
    }
    let shape = Shape::of(t, dims);
    let (mut window, mut result) = ([1usize; 3], [1usize; 3]);
    for d in 0..dims {
        let at = 3 - dims + d;
        let (k, o, size) = (kernel[d], output[d], shape.input[at] as i64);
        let least = o.saturating_add(k).saturating_sub(i64::from(dims < 3));
        if least > size {
            let what = ["time", "height", "width"][at];
            return fail(format!(
                "{own}(): pool {what} {k} too large relative to input {what} {size}"
            ));
        }
        window[at] = k as usize;
        result[at] = o.max(0) as usize;
    }
    if let Some(negative) = output.iter().find(|o| **o < 0) {
        let lead = t.sizes()[..t.rank() - dims].iter().map(|s| *s as i64);
        let all: Vec<i64> = lead.chain(output.iter().copied()).collect();
        return Err(Fault::negative_size(*negative, &all));
    }
    let channels = t.size(t.rank() - dims - 1);
    let batch = shape.planes / channels.max(1);
    if samples.dtype() != t.dtype() {
        return fail("Expect _random_samples to have the same dtype as input".to_string());
    }
    if samples.rank() != 3 {
        return fail(format!(
            "Expect _random_samples to have 3 dimensions, got {}",
            samples.rank()
        ));
    }
    if samples.size(0) < batch {
        return fail("Expect _random_samples.size(0) no less then input batch size.".to_string());
    }
    if samples.size(1) != channels {
        return fail("Expect _random_samples.size(1) equals to input channel size.".to_string());
    }
    if samples.size(2) != dims {
        return fail(format!(
            "Expect _random_samples.size(2) equals to {dims}; got {}.",
            samples.size(2)
        ));
    }
    let samples = samples.narrow(0, 0, batch)?;
    let sizes = result_sizes(t, dims, result);
    let (from, to): (usize, usize) = (shape.input.iter().product(), result.iter().product());
    let mut indices = Buffer::<i64>::unspecified(memory::times([shape.planes, to]));
    let dtype = comparison_dtype(t.dtype());
    if !t.dtype().is_float() {
        if t.numel() == 0 {
            let places = Tensor::zeros(&sizes, DType::I64)?;
            return Ok((Tensor::zeros(&sizes, t.dtype())?, places));
        }
        return Err(Fault::no_kernel(&format!("{name}_out_frame"), t.dtype()));
    }
    let (x, u) = (t.to_dtype(dtype), samples.to_dtype(dtype));
    let narrow = dtype == DType::F32;
    let values = dispatch!(dtype, Float, T => {
        let (x, u) = (x.data::<T>(), u.data::<T>());
        let mut out = Buffer::<T>::unspecified(memory::times([shape.planes, to]));
        // Results without elements have no window to start.
        let planes = if to == 0 { 0 } else { shape.planes };
        for p in 0..planes {
            let phase = &u[p * dims..(p + 1) * dims];
            // The samples of planes run from the last dimension to the first, those of volumes from the first on.
            let along = |at: usize| {
                if at < 3 - dims {
                    return vec![0];
                }
                let sample = if dims == 3 { at } else { 2 - at };
                starts(phase[sample], shape.input[at], result[at], window[at], narrow)
            };
            let places = [along(0), along(1), along(2)];
            maxima(
                shape.input,
                window,
                &places,
                &x[p * from..(p + 1) * from],
                &mut out[p * to..(p + 1) * to],
                &mut indices[p * to..(p + 1) * to],
            );
        }
        out.into_tensor(&sizes)
    }, else => return Err(Fault::no_kernel(name, dtype)));
    Ok((values.to_dtype(t.dtype()), indices.into_tensor(&sizes)))
}
