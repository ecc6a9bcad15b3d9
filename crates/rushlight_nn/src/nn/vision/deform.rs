//! `deform_conv2d`: a convolution whose taps are moved by offsets and weighted by masks, both given per output pixel.

use super::bilinear::Sample;
use rushlight_kernels::linalg::gemm::{Matrix, Product, product};
use rushlight_kernels::reduce::dims::wide_dtype;
use rushlight_tensor::element::wide::Wide;
use rushlight_tensor::memory;
use rushlight_tensor::{Buffer, DType, Element, Fault, Result, Tensor, watch};
use rushlight_types::{arguments, op, operators};

operators! {
    /// Deformable convolution.
    pub static ROWS = [
        op!("torchvision::deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor", deform_conv2d),
    ];
}

/// One spatial direction.
#[derive(Clone, Copy)]
struct Axis {
    size: usize,
    taps: usize,
    stride: usize,
    padding: usize,
    dilation: usize,
    out: usize,
}

impl Axis {
    fn new(
        name: &str,
        size: usize,
        taps: usize,
        stride: i64,
        padding: i64,
        dilation: i64,
    ) -> Result<Axis> {
        let positive = |what: &str, v: i64, least: i64| {
            if v < least || v > 1 << 30 {
                return Err(Fault::runtime(format!("{what}_{name}: {v}")));
            }
            Ok(v as usize)
        };
        let (stride, padding) = (positive("stride", stride, 1)?, positive("pad", padding, 0)?);
        let dilation = positive("dilation", dilation, 1)?;
        if taps == 0 {
            return Err(Fault::runtime("weight has a kernel without taps"));
        }
        let reach = dilation.saturating_mul(taps - 1) + 1;
        let out = (size + 2 * padding)
            .checked_sub(reach)
            .map_or(0, |room| room / stride + 1);
        if out == 0 {
            return Err(Fault::runtime("Calculated output size too small"));
        }
        Ok(Axis {
            size,
            taps,
            stride,
            padding,
            dilation,
            out,
        })
    }

    /// Where a tap of an output pixel lies, before its offset.
    fn tap(&self, out: usize, tap: usize) -> f64 {
        (out * self.stride) as f64 - self.padding as f64 + (tap * self.dilation) as f64
    }
}

/// The sizes of a call.
struct Geometry {
    images: usize,
    channels: usize,
    out_channels: usize,
    groups: usize,
    offset_groups: usize,
    y: Axis,
    x: Axis,
    masked: bool,
}

impl Geometry {
    fn taps(&self) -> usize {
        self.y.taps * self.x.taps
    }

    fn out_pixels(&self) -> usize {
        self.y.out * self.x.out
    }

    fn expect(&self, name: &str, t: &Tensor, channels: usize) -> Result<()> {
        let want = [self.images, channels, self.y.out, self.x.out];
        if t.rank() != 4 || t.size(0) != want[0] {
            return Err(Fault::runtime(format!("invalid batch size of {name}")));
        }
        if t.size(1) != want[1] {
            return Err(Fault::runtime(format!(
                "{name}.shape[1] is not valid: got: {} expected: {channels}",
                t.size(1)
            )));
        }
        if t.sizes() != want {
            return Err(Fault::runtime(format!(
                "{name} output dims: ({}, {}) - computed output dims: ({}, {})",
                t.size(2),
                t.size(3),
                self.y.out,
                self.x.out
            )));
        }
        Ok(())
    }
}

arguments! {
    /// The arguments of a deformable convolution besides its tensors.
    struct Settings {
        stride_h: i64,
        stride_w: i64,
        pad_h: i64,
        pad_w: i64,
        dilation_h: i64,
        dilation_w: i64,
        groups: i64,
        /// Groups of channels that share their offsets.
        offset_groups: i64,
        use_mask: bool,
    }
}

fn deform_conv2d(
    input: &Tensor,
    weight: &Tensor,
    offset: &Tensor,
    mask: &Tensor,
    bias: &Tensor,
    settings: Settings,
) -> Result<Tensor> {
    if input.rank() != 4
        || weight.rank() != 4
        || offset.rank() != 4
        || (settings.use_mask && mask.rank() != 4)
    {
        return Err(Fault::runtime(
            "input, weight, offset and mask must have 4 dimensions",
        ));
    }
    if !input.dtype().is_float() {
        return Err(Fault::no_kernel("deformable_im2col", input.dtype()));
    }
    for t in [weight, offset, bias]
        .into_iter()
        .chain(settings.use_mask.then_some(mask))
    {
        if t.dtype() != input.dtype() {
            return Err(Fault::other_scalar_type(input.dtype(), t.dtype()));
        }
    }
    let g = Geometry {
        images: input.size(0),
        channels: input.size(1),
        out_channels: weight.size(0),
        groups: usize::try_from(settings.groups).unwrap_or(0),
        offset_groups: usize::try_from(settings.offset_groups).unwrap_or(0),
        y: Axis::new(
            "h",
            input.size(2),
            weight.size(2),
            settings.stride_h,
            settings.pad_h,
            settings.dilation_h,
        )?,
        x: Axis::new(
            "w",
            input.size(3),
            weight.size(3),
            settings.stride_w,
            settings.pad_w,
            settings.dilation_w,
        )?,
        masked: settings.use_mask,
    };
    check(&g, weight, offset, mask, bias)?;
    let wide = wide_dtype(input.dtype());
    let parts = [input, weight, offset, mask, bias].map(|t| t.to_dtype(wide));
    let out = match wide {
        DType::F64 => run::<f64>(&g, &parts),
        _ => run::<f32>(&g, &parts),
    }?;
    Ok(out.to_dtype(input.dtype()))
}

fn check(
    g: &Geometry,
    weight: &Tensor,
    offset: &Tensor,
    mask: &Tensor,
    bias: &Tensor,
) -> Result<()> {
    let divides = |parts: usize, whole: usize| parts > 0 && whole.is_multiple_of(parts);
    if !divides(g.groups, g.out_channels)
        || weight.size(1).checked_mul(g.groups) != Some(g.channels)
    {
        return Err(Fault::runtime(format!(
            "weight of sizes {} does not fit {} input channels in {} groups",
            rushlight_tensor::layout::list(weight.sizes()),
            g.channels,
            g.groups
        )));
    }
    if !divides(g.offset_groups, g.channels) {
        return Err(Fault::runtime(format!(
            "{} input channels do not divide into {} offset groups",
            g.channels, g.offset_groups
        )));
    }
    if bias.rank() != 1 || bias.numel() != g.out_channels {
        return Err(Fault::runtime(
            "bias must have one element per output channel",
        ));
    }
    g.expect("offset", offset, 2 * g.offset_groups * g.taps())?;
    if g.masked {
        g.expect("mask", mask, g.offset_groups * g.taps())?;
    }
    Ok(())
}

/// Input, weight, offset, mask and bias in the type that is computed in.
fn run<T: Element + Wide + Product>(g: &Geometry, parts: &[Tensor; 5]) -> Result<Tensor> {
    let [input, weight, offset, mask, bias] = parts;
    let (input, weight, bias) = (input.data::<T>(), weight.data::<T>(), bias.data::<T>());
    let (offset, mask) = (offset.data::<T>(), mask.data::<T>());
    let pixels = g.out_pixels();
    let sizes = [g.images, g.out_channels, g.y.out, g.x.out];
    let column_count = rushlight_tensor::layout::checked_numel(&[g.channels, g.taps(), pixels])?;
    if column_count as u64 > 1 << 34 {
        return Err(Fault::runtime(format!(
            "deform_conv2d needs {column_count} elements of scratch memory"
        )));
    }
    let mut out = Buffer::<T>::unspecified(rushlight_tensor::layout::checked_numel(&sizes)?);
    let mut columns = memory::filled(column_count, T::default());
    let in_size = g.channels * g.y.size * g.x.size;
    let offset_size = 2 * g.offset_groups * g.taps() * pixels;
    for image in 0..g.images {
        watch::poll();
        let mask = match g.masked {
            true => &mask[image * offset_size / 2..(image + 1) * offset_size / 2],
            false => &[][..],
        };
        fill_columns(
            g,
            &input[image * in_size..(image + 1) * in_size],
            &offset[image * offset_size..(image + 1) * offset_size],
            mask,
            &mut columns,
        );
        let out = &mut out[image * g.out_channels * pixels..(image + 1) * g.out_channels * pixels];
        multiply(g, &weight, &columns, out);
        for (row, &b) in out.chunks_exact_mut(pixels).zip(bias.iter()) {
            watch::poll();
            row.iter_mut().for_each(|o| *o += b);
        }
    }
    Ok(out.into_tensor(&sizes))
}

/// The moved taps of one image as a matrix: a row per channel and tap, a column per output pixel.
fn fill_columns<T: Element + Wide>(
    g: &Geometry,
    image: &[T],
    offset: &[T],
    mask: &[T],
    columns: &mut [T],
) {
    let (taps, pixels) = (g.taps(), g.out_pixels());
    let per_group = g.channels / g.offset_groups;
    let plane = g.y.size * g.x.size;
    for group in 0..g.offset_groups {
        watch::poll();
        for tap in 0..taps {
            let entry = group * taps + tap;
            for pixel in 0..pixels {
                watch::poll();
                let dy = offset[2 * entry * pixels + pixel];
                let dx = offset[(2 * entry + 1) * pixels + pixel];
                let y = T::of(g.y.tap(pixel / g.x.out, tap / g.x.taps)) + dy;
                let x = T::of(g.x.tap(pixel % g.x.out, tap % g.x.taps)) + dx;
                let sample = Sample::padded(y, x, g.y.size, g.x.size);
                let weight = mask.get(entry * pixels + pixel).copied().unwrap_or(T::ONE);
                for channel in group * per_group..(group + 1) * per_group {
                    let source = &image[channel * plane..(channel + 1) * plane];
                    columns[(channel * taps + tap) * pixels + pixel] = weight * sample.of(source);
                }
            }
        }
    }
}

/// Multiplies every group's weights with its rows of the matrix.
fn multiply<T: Element + Wide + Product>(g: &Geometry, weight: &[T], columns: &[T], out: &mut [T]) {
    let (pixels, depth) = (g.out_pixels(), g.channels / g.groups * g.taps());
    let rows = g.out_channels / g.groups;
    if depth == 0 {
        return out.fill(T::default());
    }
    let groups = weight
        .chunks_exact(rows * depth)
        .zip(columns.chunks_exact(depth * pixels));
    for ((weight, columns), out) in groups.zip(out.chunks_exact_mut(rows * pixels)) {
        watch::poll();
        product(
            Matrix::dense(weight, rows, depth),
            Matrix::dense(columns, depth, pixels),
            out,
            pixels,
            false,
        );
    }
}
