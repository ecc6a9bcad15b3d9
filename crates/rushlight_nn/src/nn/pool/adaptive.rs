//! Adaptive pooling: the result's sizes are given, the windows follow from them.

use super::{Ints, Shape, comparison_dtype, in_format_of, result_sizes};
use crate::quantized;
use rushlight_kernels::compute::{Wide, compute, dense, finish, round_to};
use rushlight_kernels::nn::pool::adaptive::{lane_sum, plane_maxima, plane_means};
use rushlight_kernels::reduce::sum::sum_scaled;
use rushlight_ops::op_out_exact;
use rushlight_tensor::layout::{self, list};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::threads::{self, Rows};
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Buffer, Fault, MemoryFormat, Result, Tensor, dispatch};
use rushlight_types::{OutDtype, Quantized, op, operators};

operators! {
    /// Adaptive pooling.
    pub static ROWS = [
        op!("aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor", adaptive_avg_pool1d).quantized(Quantized::Native).out("out", rushlight_ops::out::exact),
        op!("aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", adaptive_avg_pool2d).quantized(Quantized::Native).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("expected dtype {result:c} for `output` but got dtype {out:c}")),
        op!("aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", adaptive_avg_pool2d).out("out", rushlight_ops::out::cast),
        op!("aten::adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", adaptive_avg_pool3d).quantized(Quantized::Native).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Same("expected dtype {result:c} for `output` but got dtype {out:c}")),
        op!("aten::_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", adaptive_avg_pool3d).out("out", rushlight_ops::out::cast),
        op!("aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)", adaptive_max_pool1d),
        op!("aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)", adaptive_max_pool2d),
        op!("aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)", adaptive_max_pool3d),
        op_out_exact!("aten::adaptive_max_pool2d.out(Tensor self, int[2] output_size, *, Tensor(a!) out, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))", adaptive_max_pool2d),
        op_out_exact!("aten::adaptive_max_pool3d.out(Tensor self, int[3] output_size, *, Tensor(a!) out, Tensor(b!) indices) -> (Tensor(a!), Tensor(b!))", adaptive_max_pool3d),
    ];
}

/// The error for a tensor of too many or too few dimensions.
fn wrong_rank(name: &str, t: &Tensor, dims: usize) -> Fault {
    if dims == 1 {
        return super::window::rank_of_argument(name, t);
    }
    let colon = if name.starts_with("adaptive_max") {
        ":"
    } else {
        ""
    };
    Fault::runtime(format!(
        "{name}(): Expected {}D or {}D tensor, but got{colon} {}",
        dims + 1,
        dims + 2,
        list(t.sizes())
    ))
}

/// The error for so many output sizes.
#[cold]
fn wrong_count(name: &str, dims: usize, count: usize) -> Fault {
    Fault::runtime(match dims {
        1 => format!("{name}() argument 'output_size' should contain one int (got {count})"),
        _ if name.starts_with("adaptive_max") => {
            format!("{name}(): internal error: output_size.size() must be {dims}")
        }
        _ => format!("{name}: output_size must be {dims}"),
    })
}

/// The error for output sizes below zero.
#[cold]
fn negative_output(name: &str, t: &Tensor, dims: usize, sizes: &[i64]) -> Fault {
    // One dimension is pooled as two, the first of which has one element.
    let flat = (dims == 1).then_some(1);
    let own: Vec<i64> = flat.into_iter().chain(sizes.iter().copied()).collect();
    if name.starts_with("adaptive_max") {
        let negative = sizes.iter().find(|s| **s < 0).copied().unwrap_or(-1);
        let lead = t.sizes()[..t.rank() - dims].iter().map(|s| *s as i64);
        let all: Vec<i64> = lead.chain(own).collect();
        return Fault::negative_size(negative, &all);
    }
    let (name, listed) = match own[..] {
        [d, h, w] => (name, format!("{d}, {h},{w}")),
        _ => ("adaptive_avg_pool2d", format!("{}, {}", own[0], own[1])),
    };
    Fault::runtime(format!(
        "{name}: elements of output_size must be greater than or equal to 0 but received {{{listed}}}"
    ))
}

/// Checks the arguments and lifts the output sizes.
fn output(name: &str, t: &Tensor, dims: usize, sizes: &[i64]) -> Result<[usize; 3]> {
    let is_max = name.starts_with("adaptive_max");
    // Means look at the number of sizes first, maxima last.
    let count_fits = sizes.len() == dims;
    if !count_fits && !is_max && dims > 1 {
        return Err(wrong_count(name, dims, sizes.len()));
    }
    if t.rank() != dims + 1 && t.rank() != dims + 2 {
        return Err(wrong_rank(name, t, dims));
    }
    // Means of one and two dimensions may have no channel.
    let first = match is_max || dims == 3 {
        true => 1,
        false => t.rank() - dims,
    };
    super::window::need_elements(name, "()", t, first)?;
    if !count_fits {
        return Err(wrong_count(name, dims, sizes.len()));
    }
    if sizes.iter().any(|s| *s < 0) {
        return Err(negative_output(name, t, dims, sizes));
    }
    let mut out = [1; 3];
    for (d, size) in sizes.iter().enumerate() {
        out[3 - dims + d] = *size as usize;
    }
    Ok(out)
}

fn adaptive_avg_pool1d(t: &Tensor, sizes: Ints) -> Result<Tensor> {
    means(t, 1, output("adaptive_avg_pool1d", t, 1, &sizes)?)
}

fn adaptive_avg_pool2d(t: &Tensor, sizes: Ints) -> Result<Tensor> {
    of_any_rank("adaptive_avg_pool2d", t, 2, &sizes)
}

fn adaptive_avg_pool3d(t: &Tensor, sizes: Ints) -> Result<Tensor> {
    of_any_rank("adaptive_avg_pool3d", t, 3, &sizes)
}

/// Means of a tensor. One window over all of an image is a mean of the last dimensions, which any number of others may lead.
fn of_any_rank(name: &str, t: &Tensor, dims: usize, sizes: &[i64]) -> Result<Tensor> {
    let fits = t.rank() == dims + 1 || t.rank() == dims + 2;
    let is_mean = !fits && sizes.len() == dims && sizes.iter().all(|size| *size == 1);
    if !is_mean {
        return means(t, dims, output(name, t, dims, sizes)?);
    }
    for dim in 1..=dims {
        wrap_dim(-(dim as i64), t.rank())?;
    }
    let lead = t.rank() - dims;
    let signed = |sizes: &[usize]| -> Vec<i64> { sizes.iter().map(|s| *s as i64).collected() };
    let planes = [&[1, -1], &signed(&t.sizes()[lead..])[..]].concat();
    let whole = [&signed(&t.sizes()[..lead])[..], sizes].concat();
    let planes = t.reshape(&planes)?;
    of_any_rank(name, &planes, dims, sizes)?.reshape(&whole)
}

#[inline(never)]
fn means(t: &Tensor, dims: usize, output: [usize; 3]) -> Result<Tensor> {
    if t.dtype().is_quantized() {
        let name = "aten::_adaptive_avg_pool2d";
        return quantized::average(name, t, quantized::Windows::Adaptive, |t, last| {
            quantized_means(t, dims, output, last)
        });
    }
    let shape = Shape::of(t, dims);
    let sizes = result_sizes(t, dims, output);
    let last = dims == 2 && t.layout().suggested_format() == MemoryFormat::ChannelsLast;
    let kernel = match (dims, last) {
        (3, _) => "adaptive_avg_pool3d_cpu",
        (_, true) => "adaptive_avg_pool2d_channels_last",
        (_, false) => "adaptive_avg_pool2d",
    };
    if output == [1; 3] && t.dtype().is_complex() {
        let lead = (t.rank() - dims) as i64;
        return rushlight_ops::mean(t, Some((lead..t.rank() as i64).collect()), true, None);
    }
    if output == [1; 3] && t.dtype().is_integral(true) {
        return Err(Fault::not_implemented(format!(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {}",
            t.dtype().class_name()
        )));
    }
    if t.numel() == 0 && dims < 3 {
        return Tensor::zeros(&sizes, t.dtype());
    }
    let numel = layout::checked_numel(&sizes)?;
    layout::checked_numel(&output)?;
    memory::check(numel, t.dtype().size())?;
    if output == [1; 3]
        && t.dtype().is_float()
        && let Some(pictures) = super::pictures_of(t, dims)?
    {
        let area = (shape.input[1] * shape.input[2]) as f64;
        let planes = smallvec::smallvec![false, true, true, false];
        let out = sum_scaled(&pictures, &planes, true, t.dtype(), area)?;
        return out.view_with(out.layout().permute(&[0, 3, 1, 2]));
    }
    // Volumes of 16-bit floats are summed in these.
    let narrow = dims == 3 && t.dtype().size() == 2;
    let out = compute!(t.dtype(), kernel, W => {
        let x = dense::<W>(t);
        let x = x.data::<W>();
        let (from, to): (usize, usize) = (shape.input.iter().product(), output.iter().product());
        let mut out = Buffer::<W>::unspecified(memory::times([shape.planes, to]));
        if to > 0 {
            let x = &x[..];
            threads::split_rows(&mut out, to, 1, from.max(to), &|planes, out| {
                for (p, plane) in planes.zip(out.chunks_mut(to)) {
                    let image = &x[p * from..(p + 1) * from];
                    if to == 1 {
                        plane[0] = lane_sum(image) / W::of(from as f64);
                    } else {
                        let rounded = |v: W| if narrow { W::of(round_to(v.f64(), t.dtype())) } else { v };
                        let mean = |sum: W, [z, y, x]: [usize; 3]| [z, y, x].iter().fold(sum, |mean, size| rounded(mean / W::of(*size as f64)));
                        plane_means(shape.input, output, image, plane, |s, v| rounded(s + v), mean);
                    }
                }
            });
        }
        finish(out, &sizes, t.dtype())
    });
    in_plane_format_of(out, t, dims)
}

/// In the memory format of the input, but for volumes.
fn in_plane_format_of(out: Tensor, t: &Tensor, dims: usize) -> Result<Tensor> {
    match dims {
        3 => Ok(out),
        _ => in_format_of(out, t),
    }
}

/// Means of integers of a quantized tensor: sums times inverses of sizes, which are taken of one dimension after the other
/// unless the channels come last.
fn quantized_means(t: &Tensor, dims: usize, output: [usize; 3], last: bool) -> Result<Tensor> {
    let shape = Shape::of(t, dims);
    let sizes = result_sizes(t, dims, output);
    memory::check(layout::checked_numel(&sizes)?, t.dtype().size())?;
    let x = dense::<f32>(t);
    let x = x.data::<f32>();
    let (from, to): (usize, usize) = (shape.input.iter().product(), output.iter().product());
    let mut out = Buffer::<f32>::unspecified(memory::times([shape.planes, to]));
    let mean = |sum: f32, [z, y, x]: [usize; 3]| match last {
        true => sum * (1.0 / (z * y * x) as f32),
        false => sum * (1.0 / z as f32 / y as f32 / x as f32),
    };
    if to > 0 {
        for (image, plane) in x.chunks(from.max(1)).zip(out.chunks_mut(to)) {
            plane_means(shape.input, output, image, plane, |s, v| s + v, mean);
        }
    }
    Ok(out.into_tensor(&sizes))
}

fn adaptive_max_pool1d(t: &Tensor, sizes: Ints) -> Result<(Tensor, Tensor)> {
    maxima(t, 1, output("adaptive_max_pool1d", t, 1, &sizes)?)
}

fn adaptive_max_pool2d(t: &Tensor, sizes: Ints) -> Result<(Tensor, Tensor)> {
    maxima(t, 2, output("adaptive_max_pool2d", t, 2, &sizes)?)
}

fn adaptive_max_pool3d(t: &Tensor, sizes: Ints) -> Result<(Tensor, Tensor)> {
    maxima(t, 3, output("adaptive_max_pool3d", t, 3, &sizes)?)
}

fn maxima(t: &Tensor, dims: usize, output: [usize; 3]) -> Result<(Tensor, Tensor)> {
    let kernel = if dims == 3 {
        "adaptive_max_pool3d_cpu"
    } else {
        "adaptive_max_pool2d"
    };
    if !t.dtype().is_float() {
        return Err(Fault::no_kernel(kernel, t.dtype()));
    }
    let shape = Shape::of(t, dims);
    let sizes = result_sizes(t, dims, output);
    let dtype = comparison_dtype(t.dtype());
    let x = t.to_dtype(dtype);
    layout::checked_numel(&sizes)?;
    let (from, to): (usize, usize) = (
        shape.input.iter().product(),
        layout::checked_numel(&output)?,
    );
    let mut indices = Buffer::<i64>::unspecified(memory::times([shape.planes, to]));
    let values = dispatch!(dtype, Float, T => {
        let x = x.data::<T>();
        let mut out = Buffer::<T>::unspecified(memory::times([shape.planes, to]));
        if to > 0 {
            let x = &x[..];
            let lent = (Rows::of(&mut out, to), Rows::of(&mut indices, to));
            threads::split_lent(shape.planes, 1, from.max(to), lent, &|planes, (out, places)| {
                let results = out.chunks_mut(to).zip(places.chunks_mut(to));
                for (p, (plane, places)) in planes.zip(results) {
                    let image = &x[p * from..(p + 1) * from];
                    plane_maxima(shape.input, output, image, plane, places);
                }
            });
        }
        out.into_tensor(&sizes)
    }, else => return Err(Fault::no_kernel(kernel, dtype)));
    let values = in_plane_format_of(values.to_dtype(t.dtype()), t, dims)?;
    let indices = in_plane_format_of(indices.into_tensor(&sizes), t, dims)?;
    Ok((values, indices))
}

/// Means over adaptive windows of one to three dimensions.
pub(in crate::nn) fn adaptive_means(t: &Tensor, dims: usize, sizes: &[i64]) -> Result<Tensor> {
    let name = [
        "adaptive_avg_pool1d",
        "adaptive_avg_pool2d",
        "adaptive_avg_pool3d",
    ][dims - 1];
    means(t, dims, output(name, t, dims, sizes)?)
}
