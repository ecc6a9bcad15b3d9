//! Bilinear resampling of quantized pictures, in their own scale.
//!
//! Where channels come last, the reference blends eight of them at a time by multiply-adds, and what is left of a pixel one
//! by one; the two differ in the last bit, which decides where a result lies half way between two integers.

use super::smooth::resample;
use super::taps::{Filter, step};
use super::{ResampledSizes, in_format_of};
use crate::quantized::{of_integers_like, scale_of};
use rushlight_tensor::{DType, MemoryFormat, Result, Tensor, memory, watch};

/// Channels that are blended together.
const TOGETHER: usize = 8;

/// A quantized picture in other sizes.
pub(super) fn bilinear(t: &Tensor, target: &ResampledSizes, align: bool) -> Result<Tensor> {
    let (scale, zero_point) = scale_of("aten::upsample_bilinear2d", t)?;
    let steps = t.stored().to_dtype(DType::F32);
    let sizes = target.result_sizes(t)?;
    let last = t.rank() == 4 && t.layout().is_contiguous_in(MemoryFormat::ChannelsLast);
    let blended: Vec<f32> = match last {
        true => blended(&steps, target, align)?.to_vec(),
        false => resample(Filter::Linear, &steps, target, align)?.to_vec(),
    };
    let zero = zero_point as f32;
    let whole = |v: f32| ((v - zero).round_ties_even() as i64).saturating_add(zero_point);
    let integers = memory::collect(blended.into_iter().map(whole));
    let out = of_integers_like(&integers, &sizes, (scale, zero_point), t.dtype())?;
    in_format_of(out, t)
}

/// The two places that an output position lies between, and their weights.
fn place(step: f32, o: usize, align: bool, input: usize) -> ([usize; 2], [f32; 2]) {
    let source = match align {
        true => step * o as f32,
        false => step.mul_add(o as f32 + 0.5, -0.5).max(0.0),
    };
    let first = (source as usize).min(input - 1);
    let part = (source - first as f32).min(1.0);
    ([first, (first + 1).min(input - 1)], [1.0 - part, part])
}

/// Blends of pixels whose channels come last.
fn blended(x: &Tensor, target: &ResampledSizes, align: bool) -> Result<Tensor> {
    let view = x.view_with(x.layout().permute(&[0, 2, 3, 1]))?;
    let x = view.data::<f32>();
    let [batch, high, wide, channels] = [0, 1, 2, 3].map(|d| view.size(d));
    let [height, width] = [target.sizes[0], target.sizes[1]];
    let places = |input: usize, d: usize| {
        let step = step::<f32>(input, target.sizes[d], align, target.factors[d]);
        let places = (0..target.sizes[d]).map(|o| place(step, o, align, input));
        memory::collect(places)
    };
    let (down, along) = (places(high, 0), places(wide, 1));
    let size = memory::times([batch, height, width, channels]);
    let mut out = memory::filled(size, 0f32);
    for (i, out) in out.chunks_mut(channels.max(1)).enumerate() {
        watch::poll();
        let (x_at, y_at, image) = (i % width, i / width % height, i / width / height);
        let ((rows, of_rows), (columns, of_columns)) = (down[y_at], along[x_at]);
        let pixel = |row: usize, column: usize| {
            let first = ((image * high + rows[row]) * wide + columns[column]) * channels;
            &x[first..first + channels]
        };
        let (a, b, c, d) = (pixel(0, 0), pixel(0, 1), pixel(1, 0), pixel(1, 1));
        let ([top, bottom], [left, right]) = (of_rows, of_columns);
        let together = channels / TOGETHER * TOGETHER;
        for (i, out) in out.iter_mut().enumerate() {
            *out = if i < together {
                let above = b[i].mul_add(right, a[i] * left);
                let below = d[i].mul_add(right, c[i] * left);
                below.mul_add(bottom, above * top)
            } else {
                let above = a[i].mul_add(left, b[i] * right);
                let below = c[i].mul_add(left, d[i] * right);
                above.mul_add(top, below * bottom)
            };
        }
    }
    let out = Tensor::from_vec(out, &[batch, height, width, channels])?;
    out.view_with(out.layout().permute(&[0, 3, 1, 2]))
}
