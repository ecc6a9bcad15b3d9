//! Moving blocks between channels and space.

use rushlight_tensor::iter::copied_in;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Dims, Fault, Layout, MemoryFormat, Result, Tensor};
use rushlight_types::{Quantized, op, operators};

operators! {
    /// Pixel and channel shuffles.
    pub static ROWS = [
        op!("aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor", pixel_shuffle).quantized(Quantized::Integers).out("out", crate::out::exact),
        op!("aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor", pixel_unshuffle).out("out", crate::out::exact),
        op!("aten::channel_shuffle(Tensor self, SymInt groups) -> Tensor", channel_shuffle).quantized(Quantized::Integers).out("out", crate::out::exact),
        op!("aten::native_channel_shuffle(Tensor self, SymInt groups) -> Tensor", channel_shuffle),
    ];
}

fn check_image(name: &str, what: &str, t: &Tensor, factor: i64) -> Result<()> {
    if t.rank() < 3 {
        return Err(Fault::runtime(format!(
            "{name} expects input to have at least 3 dimensions, but got input with {} dimension(s)",
            t.rank()
        )));
    }
    if factor <= 0 || factor > 1 << 20 {
        return Err(Fault::runtime(format!(
            "{name} expects a positive {what}, but got {factor}"
        )));
    }
    Ok(())
}

/// Leading sizes, channels, height, width.
fn parts(t: &Tensor) -> (&[usize], usize, usize, usize) {
    let (batch, image) = t.sizes().split_at(t.rank() - 3);
    (batch, image[0], image[1], image[2])
}

/// The tensor with its last dimensions cut into `inner`, those reordered, and joined to `target`.
fn regroup(
    t: &Tensor,
    batch: &[usize],
    inner: &[usize],
    order: &[i64],
    target: &[usize],
) -> Result<Tensor> {
    let join = |tail: &[usize]| -> Dims { batch.iter().chain(tail).copied().collect() };
    let cut = t.reshape_to(&join(inner))?;
    let lead = batch.len() as i64;
    let order: Vec<i64> = (0..lead).chain(order.iter().map(|d| d + lead)).collected();
    let moved = cut.permute(&order)?.contiguous_copy();
    in_format_of(moved.reshape_to(&join(target))?, t)
}

/// A row-major result in the memory format of the operand, with its strides also where one channel leaves them open.
fn in_format_of(result: Tensor, t: &Tensor) -> Result<Tensor> {
    let format = t.layout().suggested_format();
    if format == MemoryFormat::Contiguous {
        return Ok(result);
    }
    copied_in(&result, &Layout::with_format(result.sizes(), format)?)
}

fn pixel_shuffle(t: &Tensor, factor: i64) -> Result<Tensor> {
    check_image("pixel_shuffle", "upscale_factor", t, factor)?;
    let (batch, channels, height, width) = parts(t);
    let r = factor as usize;
    if !channels.is_multiple_of(r * r) {
        return Err(Fault::runtime(format!(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but input.size(-3)={channels} is not divisible by {}",
            r * r
        )));
    }
    let out = channels / (r * r);
    regroup(
        t,
        batch,
        &[out, r, r, height, width],
        &[0, 3, 1, 4, 2],
        &[out, height * r, width * r],
    )
}

fn pixel_unshuffle(t: &Tensor, factor: i64) -> Result<Tensor> {
    check_image("pixel_unshuffle", "downscale_factor", t, factor)?;
    let (batch, channels, height, width) = parts(t);
    let r = factor as usize;
    for (name, size, place) in [("height", height, -2), ("width", width, -1)] {
        if !size.is_multiple_of(r) {
            return Err(Fault::runtime(format!(
                "pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({place})={size} is not divisible by {r}"
            )));
        }
    }
    regroup(
        t,
        batch,
        &[channels, height / r, r, width / r, r],
        &[0, 2, 4, 1, 3],
        &[channels * r * r, height / r, width / r],
    )
}

fn channel_shuffle(t: &Tensor, groups: i64) -> Result<Tensor> {
    if t.rank() < 3 {
        return Err(Fault::runtime(format!(
            "channel_shuffle expects input with > 2 dims, but got input with sizes {}",
            rushlight_tensor::layout::list(t.sizes())
        )));
    }
    let channels = t.size(1);
    if groups <= 0 {
        return Err(Fault::runtime(format!(
            "Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )));
    }
    if channels as i64 % groups != 0 {
        return Err(Fault::runtime(format!(
            "Number of channels must be divisible by groups. Got {channels} channels and {groups} groups."
        )));
    }
    let groups = groups as usize;
    let rest: usize = t.sizes()[2..].iter().product();
    let cut = t.reshape_to(&[t.size(0), groups, channels / groups, rest])?;
    let moved = cut.transpose(1, 2)?.contiguous_copy();
    in_format_of(moved.reshape_to(t.sizes())?, t)
}
