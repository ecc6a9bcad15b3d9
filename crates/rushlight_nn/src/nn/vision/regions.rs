//! Pooling of regions of interest: `roi_align`, `roi_pool` and their position-sensitive forms.
//!
//! A region is a row `[image, x1, y1, x2, y2]`. All of them cut a region into bins and make one number of each bin, by
//! samples between pixels (`align`) or from whole pixels (`pool`). Position-sensitive forms read another channel in
//! every bin.

use super::bilinear::Sample;
use rushlight_kernels::nn::vision::regions::{Span, largest};
use rushlight_tensor::element::wide::Wide;
use rushlight_tensor::memory;
use rushlight_tensor::{Buffer, DType, Element, Fault, Result, Tensor, watch};
use rushlight_types::{op, operators};

operators! {
    /// Pooling of regions.
    pub static ROWS = [
        op!("torchvision::roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor", roi_align),
        op!("torchvision::roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, Tensor)", roi_pool),
        op!("torchvision::ps_roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio) -> (Tensor, Tensor)", ps_roi_align),
        op!("torchvision::ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, Tensor)", ps_roi_pool),
    ];
}

/// The sizes of a call.
#[derive(Clone, Copy)]
struct Geometry {
    images: usize,
    channels: usize,
    height: usize,
    width: usize,
    regions: usize,
    rows: usize,
    columns: usize,
    scale: f64,
}

impl Geometry {
    /// Checks the arguments that all four operators share.
    fn new(input: &Tensor, rois: &Tensor, scale: f64, rows: i64, columns: i64) -> Result<Geometry> {
        if rois.rank() != 2 || rois.size(1) != 5 {
            return Err(Fault::runtime("rois must have shape as Tensor[K, 5]"));
        }
        if input.rank() != 4 {
            return Err(Fault::runtime(format!(
                "input must have 4 dimensions, got {}",
                input.rank()
            )));
        }
        if input.dtype() != rois.dtype() {
            return Err(Fault::runtime("input should have the same type as rois"));
        }
        if !matches!(input.dtype(), DType::F16 | DType::F32 | DType::F64) {
            return Err(Fault::runtime(format!(
                "\"roi kernel\" not implemented for '{}'",
                input.dtype().class_name()
            )));
        }
        let positive = |v: i64| {
            usize::try_from(v)
                .ok()
                .filter(|&v| v > 0)
                .ok_or_else(|| Fault::runtime(format!("pooled sizes must be positive, got {v}")))
        };
        let geometry = Geometry {
            images: input.size(0),
            channels: input.size(1),
            height: input.size(2),
            width: input.size(3),
            regions: rois.size(0),
            rows: positive(rows)?,
            columns: positive(columns)?,
            scale,
        };
        rushlight_tensor::layout::checked_numel(&geometry.result_sizes(geometry.channels))?;
        Ok(geometry)
    }

    fn result_sizes(&self, channels: usize) -> [usize; 4] {
        [self.regions, channels, self.rows, self.columns]
    }

    fn bins(&self) -> usize {
        self.rows.saturating_mul(self.columns)
    }

    /// The channels of a position-sensitive result.
    fn shared_channels(&self) -> Result<usize> {
        if !self.channels.is_multiple_of(self.bins()) {
            return Err(Fault::runtime(
                "input channels must be a multiple of pooling height * pooling width",
            ));
        }
        Ok(self.channels / self.bins())
    }

    fn pixels(&self) -> usize {
        self.height * self.width
    }

    fn plane<'a, T>(&self, data: &'a [T], image: usize, channel: usize) -> &'a [T] {
        let start = (image * self.channels + channel) * self.pixels();
        &data[start..start + self.pixels()]
    }

    /// The image that a region lies in.
    fn image<T: Wide>(&self, roi: &[T]) -> Result<usize> {
        let image = roi[0].f64();
        if !(image >= 0.0 && image < self.images as f64) {
            return Err(Fault::runtime(
                "rois batch index must be in [0, batch_size)",
            ));
        }
        Ok(image as usize)
    }
}

/// Samples per bin are bounded, so that absurd regions do not run forever.
const MOST_SAMPLES: f64 = 4096.0;

/// The span between two coordinates in `bins` parts.
fn span<T: Wide>(start: T, length: T, bins: usize, ratio: i64) -> Result<Span<T>> {
    let samples = match ratio {
        1.. => ratio as f64,
        _ => (length / T::of(bins as f64)).f64().ceil(),
    };
    if samples > MOST_SAMPLES {
        return Err(Fault::runtime(format!(
            "a region asks for {samples} samples per bin and direction, more than {MOST_SAMPLES}"
        )));
    }
    Ok(Span {
        start,
        bin: length / T::of(bins as f64),
        samples: samples.max(0.0) as usize,
    })
}

/// The vertical and the horizontal span of a region, moved by `shift` and at least `least` long.
fn spans<T: Wide>(
    g: &Geometry,
    roi: &[T],
    shift: f64,
    least: Option<T>,
    ratio: i64,
) -> Result<(Span<T>, Span<T>)> {
    let (scale, shift) = (T::of(g.scale), T::of(shift));
    let one = |low: usize, bins: usize| {
        let start = roi[low] * scale - shift;
        let length = roi[low + 2] * scale - shift - start;
        let length = match least {
            Some(least) if length < least => least,
            _ => length,
        };
        span(start, length, bins, ratio)
    };
    Ok((one(2, g.rows)?, one(1, g.columns)?))
}

/// The samples of one bin.
fn bin_samples<T: Wide>(
    g: &Geometry,
    (y, x): (Span<T>, Span<T>),
    row: usize,
    column: usize,
    out: &mut Vec<Sample<T>>,
) {
    out.clear();
    for i in 0..y.samples {
        watch::poll();
        for j in 0..x.samples {
            out.push(Sample::clamped(
                y.at(row, i),
                x.at(column, j),
                g.height,
                g.width,
            ));
        }
    }
}

fn sum<T: Wide>(samples: &[Sample<T>], plane: &[T]) -> T {
    let mut sum = T::ZERO;
    for sample in samples {
        sum += sample.of(plane);
    }
    sum
}

/// Runs a kernel in f32 or f64; f16 is computed in f32.
macro_rules! in_wide {
    ($input:expr, $rois:expr, $T:ident => $body:expr) => {{
        let wide = rushlight_kernels::reduce::dims::wide_dtype($input.dtype());
        let (input, rois) = ($input.to_dtype(wide), $rois.to_dtype(wide));
        match wide {
            DType::F64 => {
                type $T = f64;
                $body(&input.data::<f64>(), &rois.data::<f64>())
            }
            _ => {
                type $T = f32;
                $body(&input.data::<f32>(), &rois.data::<f32>())
            }
        }
    }};
}

/// `torchvision::roi_align`.
fn roi_align(
    input: &Tensor,
    rois: &Tensor,
    scale: f64,
    rows: i64,
    columns: i64,
    ratio: i64,
    aligned: bool,
) -> Result<Tensor> {
    let g = Geometry::new(input, rois, scale, rows, columns)?;
    let out = in_wide!(input, rois, T => |data: &[T], rois: &[T]| align::<T>(&g, data, rois, ratio, aligned))?;
    Ok(out.to_dtype(input.dtype()))
}

fn align<T: Element + Wide>(
    g: &Geometry,
    data: &[T],
    rois: &[T],
    ratio: i64,
    aligned: bool,
) -> Result<Tensor> {
    let mut out = Buffer::<T>::unspecified(memory::times([g.regions, g.channels, g.bins()]));
    let mut samples = Vec::new();
    for (roi, out) in rois
        .chunks_exact(5)
        .zip(out.chunks_exact_mut((g.channels * g.bins()).max(1)))
    {
        watch::poll();
        let image = g.image(roi)?;
        let (shift, least) = if aligned {
            (0.5, None)
        } else {
            (0.0, Some(T::ONE))
        };
        let spans = spans(g, roi, shift, least, ratio)?;
        for row in 0..g.rows {
            watch::poll();
            for column in 0..g.columns {
                bin_samples(g, spans, row, column, &mut samples);
                let count = T::of(samples.len().max(1) as f64);
                for channel in 0..g.channels {
                    out[channel * g.bins() + row * g.columns + column] =
                        sum(&samples, g.plane(data, image, channel)) / count;
                }
            }
        }
    }
    Ok(out.into_tensor(&g.result_sizes(g.channels)))
}

/// `torchvision::ps_roi_align`, with the channel that every element came from.
fn ps_roi_align(
    input: &Tensor,
    rois: &Tensor,
    scale: f64,
    rows: i64,
    columns: i64,
    ratio: i64,
) -> Result<(Tensor, Tensor)> {
    let g = Geometry::new(input, rois, scale, rows, columns)?;
    let shared = g.shared_channels()?;
    let out = in_wide!(input, rois, T => |data: &[T], rois: &[T]| {
        let mut samples = Vec::new();
        position_sensitive::<T>(&g, data, rois, shared, |roi, row, column, plane| {
            bin_samples(&g, spans(&g, roi, 0.5, None, ratio)?, row, column, &mut samples);
            Ok(sum(&samples, plane) / T::of(samples.len() as f64))
        })
    })?;
    Ok((out.to_dtype(input.dtype()), channel_mapping(&g, shared)))
}

/// One number per bin, read from the bin's own channel.
fn position_sensitive<T: Element + Wide>(
    g: &Geometry,
    data: &[T],
    rois: &[T],
    shared: usize,
    mut bin: impl FnMut(&[T], usize, usize, &[T]) -> Result<T>,
) -> Result<Tensor> {
    let mut out = Buffer::<T>::unspecified(memory::times([g.regions, g.channels]));
    for (roi, out) in rois
        .chunks_exact(5)
        .zip(out.chunks_exact_mut(g.channels.max(1)))
    {
        watch::poll();
        let image = g.image(roi)?;
        for (channel, out) in out.iter_mut().enumerate() {
            let place = channel % g.bins();
            let plane = g.plane(data, image, channel);
            *out = bin(roi, place / g.columns, place % g.columns, plane)?;
        }
    }
    Ok(out.into_tensor(&g.result_sizes(shared)))
}

/// The input channel of every element of a position-sensitive result.
fn channel_mapping(g: &Geometry, shared: usize) -> Tensor {
    let mut out = Buffer::<i32>::unspecified(memory::times([g.regions, g.channels]));
    for region in out.chunks_exact_mut(g.channels.max(1)) {
        watch::poll();
        for (channel, o) in region.iter_mut().enumerate() {
            *o = channel as i32;
        }
    }
    out.into_tensor(&g.result_sizes(shared))
}

/// The whole pixels of a bin along one direction.
fn pixel_range<T: Wide>(start: T, bin: T, index: usize, size: usize) -> std::ops::Range<usize> {
    let clip = |v: T| v.f64().clamp(0.0, size as f64) as usize;
    let low = (T::of(index as f64) * bin).floor() + start;
    let high = (T::of(index as f64 + 1.0) * bin).ceil() + start;
    clip(low)..clip(high)
}

/// Rounds halves away from zero.
fn rounded<T: Wide>(v: T) -> T {
    T::of(v.f64().round())
}

/// `torchvision::roi_pool`: the largest pixel of every bin and its index.
fn roi_pool(
    input: &Tensor,
    rois: &Tensor,
    scale: f64,
    rows: i64,
    columns: i64,
) -> Result<(Tensor, Tensor)> {
    let g = Geometry::new(input, rois, scale, rows, columns)?;
    let (out, at) = in_wide!(input, rois, T => |data: &[T], rois: &[T]| pool::<T>(&g, data, rois))?;
    Ok((out.to_dtype(input.dtype()), at))
}

fn pool<T: Element + Wide>(g: &Geometry, data: &[T], rois: &[T]) -> Result<(Tensor, Tensor)> {
    let mut out = Buffer::<T>::unspecified(memory::times([g.regions, g.channels, g.bins()]));
    let mut at = Buffer::<i32>::unspecified(out.len());
    let mut results = out.iter_mut().zip(at.iter_mut());
    for roi in rois.chunks_exact(5) {
        watch::poll();
        let image = g.image(roi)?;
        let corner = |i: usize| rounded(roi[i] * T::of(g.scale));
        let bin = |low: usize, bins: usize| {
            let length = corner(low + 2) - corner(low) + T::ONE;
            (if length < T::ONE { T::ONE } else { length }) / T::of(bins as f64)
        };
        let (bin_y, bin_x) = (bin(2, g.rows), bin(1, g.columns));
        for channel in 0..g.channels {
            watch::poll();
            let plane = g.plane(data, image, channel);
            for place in 0..g.bins() {
                let ys = pixel_range(corner(2), bin_y, place / g.columns, g.height);
                let xs = pixel_range(corner(1), bin_x, place % g.columns, g.width);
                let Some((o, at)) = results.next() else {
                    continue;
                };
                (*o, *at) = largest(plane, ys, xs, g.width);
            }
        }
    }
    let sizes = g.result_sizes(g.channels);
    Ok((out.into_tensor(&sizes), at.into_tensor(&sizes)))
}

/// `torchvision::ps_roi_pool`: the mean of the pixels of every bin.
fn ps_roi_pool(
    input: &Tensor,
    rois: &Tensor,
    scale: f64,
    rows: i64,
    columns: i64,
) -> Result<(Tensor, Tensor)> {
    let g = Geometry::new(input, rois, scale, rows, columns)?;
    let shared = g.shared_channels()?;
    let out = in_wide!(input, rois, T => |data: &[T], rois: &[T]| {
        position_sensitive::<T>(&g, data, rois, shared, |roi, row, column, plane| {
            Ok(bin_mean(&g, roi, row, column, plane))
        })
    })?;
    Ok((out.to_dtype(input.dtype()), channel_mapping(&g, shared)))
}

fn bin_mean<T: Wide>(g: &Geometry, roi: &[T], row: usize, column: usize, plane: &[T]) -> T {
    let corner = |i: usize| rounded(roi[i] * T::of(g.scale));
    let range = |low: usize, bins: usize, index: usize, size: usize| {
        let length = corner(low + 2) - corner(low);
        let length = if length < T::ONE { T::ONE } else { length };
        let bin = length / T::of(bins as f64);
        let last = size.saturating_sub(1) as f64;
        let clip = |v: T| v.f64().clamp(0.0, last) as usize;
        let from = (T::of(index as f64) * bin + corner(low)).floor();
        let to = (T::of(index as f64 + 1.0) * bin + corner(low)).ceil();
        clip(from)..clip(to)
    };
    let ys = range(2, g.rows, row, g.height);
    let xs = range(1, g.columns, column, g.width);
    let mut sum = T::ZERO;
    for y in ys.clone() {
        for x in xs.clone() {
            sum += plane[y * g.width + x];
        }
    }
    match ys.len() * xs.len() {
        0 => T::ZERO,
        count => sum / T::of(count as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected numbers from torchvision 0.29.
    #[test]
    fn position_sensitive_forms_read_a_channel_per_bin() {
        let ramp: Vec<f32> = (0..240).map(|v| v as f32).collect();
        let input = Tensor::from_vec(ramp, &[2, 4, 5, 6]).unwrap();
        let rois = [0.0f32, 0.0, 0.0, 3.0, 3.0, 1.0, 1.0, 1.0, 4.5, 4.2];
        let rois = Tensor::from_slice(&rois, &[2, 5]).unwrap();
        let (pooled, channels) = ps_roi_pool(&input, &rois, 1.0, 2, 2).unwrap();
        assert_eq!(
            pooled.to_vec::<f32>(),
            [3.5, 34.5, 69.5, 100.5, 130.5, 162.5, 196.5, 228.5]
        );
        assert_eq!(channels.to_vec::<i64>(), [0, 1, 2, 3, 0, 1, 2, 3]);
        let (aligned, _) = ps_roi_align(&input, &rois, 1.0, 2, 2, -1).unwrap();
        let want = [
            2.1875f32, 33.625, 70.8125, 102.25, 129.175, 160.925, 198.775, 230.525,
        ];
        for (got, want) in aligned.to_vec::<f32>().iter().zip(want) {
            assert!((got - want).abs() < 1e-3, "{got} {want}");
        }
    }

    #[test]
    fn regions_of_missing_images_are_refused() {
        let input = Tensor::zeros(&[1, 1, 2, 2], DType::F32).unwrap();
        let rois = Tensor::from_slice(&[5.0f32, 0.0, 0.0, 1.0, 1.0], &[1, 5]).unwrap();
        let fault = roi_align(&input, &rois, 1.0, 1, 1, 1, false).unwrap_err();
        assert_eq!(
            fault.message(),
            "rois batch index must be in [0, batch_size)"
        );
    }

    #[test]
    fn regions_without_end_are_refused() {
        let input = Tensor::zeros(&[1, 1, 2, 2], DType::F32).unwrap();
        let rois = Tensor::from_slice(&[0.0f32, 0.0, 0.0, 1e30, 1e30], &[1, 5]).unwrap();
        assert!(roi_align(&input, &rois, 1.0, 1, 1, -1, false).is_err());
    }
}
