//! Linear, cubic and antialiased resampling.

use super::taps::{Filter, Taps};
use super::{Floats, Ints, Target, in_format_of};
use crate::compute::{Compute, compute, dense, finish, round_to};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Buffer, DType, Element, Fault, Result, Tensor, threads, watch};
use rushlight_types::{Quantized, op, operators};

operators! {
    /// Smooth resampling.
    pub static ROWS = [
        op!("aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor", linear1d),
        op!("aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", linear1d_vec),
        op!("aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", bilinear2d).quantized(Quantized::Steps),
        op!("aten::upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", bilinear2d_vec).quantized(Quantized::Steps),
        op!("aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", trilinear3d),
        op!("aten::upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", trilinear3d_vec),
        op!("aten::upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", bicubic2d),
        op!("aten::upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", bicubic2d_vec),
        op!("aten::_upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", bilinear2d_aa),
        op!("aten::_upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", bilinear2d_aa_vec),
        op!("aten::_upsample_bicubic2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", bicubic2d_aa),
        op!("aten::_upsample_bicubic2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", bicubic2d_aa_vec),
        op!("aten::_upsample_lanczos2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", lanczos2d_aa),
        op!("aten::_upsample_lanczos2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", lanczos2d_aa_vec),
        op_out_exact!("aten::upsample_linear1d.out(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None, *, Tensor(a!) out) -> Tensor(a!)", linear1d),
        op_out_exact!("aten::upsample_bilinear2d.out(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None, *, Tensor(a!) out) -> Tensor(a!)", bilinear2d),
        op_out_exact!("aten::upsample_bilinear2d.vec_out(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors, *, Tensor(a!) out) -> Tensor(a!)", bilinear2d_vec),
        op_out!("aten::upsample_trilinear3d.out(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None, *, Tensor(a!) out) -> Tensor(a!)", trilinear3d),
        op_out_exact!("aten::upsample_bicubic2d.out(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None, *, Tensor(a!) out) -> Tensor(a!)", bicubic2d),
        op_out!("aten::_upsample_bilinear2d_aa.out(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None, *, Tensor(a!) out) -> Tensor(a!)", bilinear2d_aa),
        op_out!("aten::_upsample_bicubic2d_aa.out(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None, *, Tensor(a!) out) -> Tensor(a!)", bicubic2d_aa),
        op_out!("aten::_upsample_lanczos2d_aa.out(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None, *, Tensor(a!) out) -> Tensor(a!)", lanczos2d_aa),
    ];
}

fn linear1d(t: &Tensor, sizes: Ints, align: bool, factor: Option<f64>) -> Result<Tensor> {
    resample(
        Filter::Linear,
        t,
        &Target::sized(t, &sizes, &[factor])?,
        align,
    )
}

fn trilinear3d(
    t: &Tensor,
    sizes: Ints,
    align: bool,
    d: Option<f64>,
    h: Option<f64>,
    w: Option<f64>,
) -> Result<Tensor> {
    resample(
        Filter::Linear,
        t,
        &Target::sized(t, &sizes, &[d, h, w])?,
        align,
    )
}

macro_rules! planar {
    ($($name:ident $filter:ident;)*) => {$(
        fn $name(t: &Tensor, sizes: Ints, align: bool, h: Option<f64>, w: Option<f64>) -> Result<Tensor> {
            resample(Filter::$filter, t, &Target::sized(t, &sizes, &[h, w])?, align)
        }
    )*};
}
planar! {
    bilinear2d Linear;
    bicubic2d Cubic;
    bilinear2d_aa LinearWide;
    bicubic2d_aa CubicWide;
    lanczos2d_aa LanczosWide;
}

macro_rules! with_lists {
    ($($name:ident $filter:ident $dims:literal;)*) => {$(
        fn $name(t: &Tensor, sizes: Option<Ints>, align: bool, factors: Option<Floats>) -> Result<Tensor> {
            let target = Target::either(t, $dims, sizes.as_deref(), factors.as_deref())?;
            resample(Filter::$filter, t, &target, align)
        }
    )*};
}
with_lists! {
    linear1d_vec Linear 1;
    bilinear2d_vec Linear 2;
    trilinear3d_vec Linear 3;
    bicubic2d_vec Cubic 2;
    bilinear2d_aa_vec LinearWide 2;
    bicubic2d_aa_vec CubicWide 2;
    lanczos2d_aa_vec LanczosWide 2;
}

/// Resamples each spatial dimension, the last one first.
pub(super) fn resample(filter: Filter, t: &Tensor, target: &Target, align: bool) -> Result<Tensor> {
    let sizes = target.result_sizes(t)?;
    let is_wide = matches!(
        filter,
        Filter::LinearWide | Filter::CubicWide | Filter::LanczosWide
    );
    if is_wide && matches!(t.dtype(), DType::F16 | DType::BF16) {
        return Err(Fault::no_kernel("compute_index_ranges_weights", t.dtype()));
    }
    if t.dtype() == DType::U8 {
        let out = passes::<u8>(filter, t, target, align);
        return in_format_of(out.into_tensor(&sizes), t);
    }
    let out = compute!(t.dtype(), "upsample", W => {
        finish(passes::<W>(filter, t, target, align), &sizes, t.dtype())
    });
    in_format_of(out, t)
}

/// Elements that are resampled: each dimension with weights of their own kind.
trait Samples: Element {
    /// Resamples the middle one of three dimensions.
    fn along(x: &[Self], input: usize, inner: usize, pass: &Pass) -> Buffer<Self>;
}

/// How one dimension is resampled.
struct Pass {
    filter: Filter,
    output: usize,
    align: bool,
    factor: Option<f64>,
    /// The 16-bit dtype that weights are rounded to.
    narrow: Option<DType>,
}

impl Pass {
    fn taps<W: Compute>(&self, input: usize) -> Taps<W> {
        Taps::new(self.filter, input, self.output, self.align, self.factor)
    }
}

macro_rules! floats {
    ($($t:ty)*) => {$(
        impl Samples for $t {
            fn along(x: &[$t], input: usize, inner: usize, pass: &Pass) -> Buffer<$t> {
                let mut taps = pass.taps::<$t>(input);
                if let Some(narrow) = pass.narrow {
                    let rounded = |w: $t| round_to(f64::from(w), narrow) as $t;
                    match pass.filter {
                        Filter::Linear => {
                            for pair in taps.weights.chunks_exact_mut(2) {
                                pair[1] = rounded(pair[1]);
                                pair[0] = rounded(1.0 - pair[1]);
                            }
                        }
                        _ => taps.weights.iter_mut().for_each(|w| *w = rounded(*w)),
                    }
                }
                along(x, input, inner, &taps)
            }
        }
    )*};
}
floats! { f32 f64 }

impl Samples for u8 {
    fn along(x: &[u8], input: usize, inner: usize, pass: &Pass) -> Buffer<u8> {
        let taps = pass.taps::<f64>(input);
        // Weights are integers of 16 bits, with as many bits behind the point as the largest one leaves.
        let most = taps.weights.iter().fold(0.0f64, |m, w| m.max(*w));
        let fits = |bits: i32| (0.5 + most * 2f64.powi(bits + 1)) as i64 >= 1 << 15;
        let bits = (0..22).find(|bits| fits(*bits)).unwrap_or(22);
        let whole = |w: &f64| (w * 2f64.powi(bits)).round() as i32;
        let whole = Taps {
            width: taps.width,
            places: taps.places,
            weights: taps.weights.iter().map(whole).collected(),
        };
        along_bytes(x, input, inner, &whole, bits as u32)
    }
}

fn along_bytes(x: &[u8], input: usize, inner: usize, taps: &Taps<i32>, bits: u32) -> Buffer<u8> {
    let width = taps.width;
    let output = taps.places.len() / width;
    let outer = x.len() / (input * inner).max(1);
    let mut out = Buffer::<u8>::stale(memory::times([outer, output, inner]));
    let half = match bits {
        0 => 0,
        bits => 1i32 << (bits - 1),
    };
    let images = x.chunks_exact((input * inner).max(1));
    for (image, result) in images.zip(out.chunks_exact_mut((output * inner).max(1))) {
        watch::poll();
        for (o, row) in result.chunks_exact_mut(inner.max(1)).enumerate() {
            watch::poll();
            let at = o * width..(o + 1) * width;
            for (k, r) in row.iter_mut().enumerate() {
                let taps = taps.places[at.clone()]
                    .iter()
                    .zip(&taps.weights[at.clone()]);
                let sum = taps.fold(half, |s, (place, w)| {
                    s.wrapping_add(i32::from(image[place * inner + k]).wrapping_mul(*w))
                });
                *r = (sum >> bits).clamp(0, 255) as u8;
            }
        }
    }
    out
}

fn passes<T: Samples>(filter: Filter, t: &Tensor, target: &Target, align: bool) -> Buffer<T> {
    let x = dense::<T>(t);
    let mut data = Buffer::copy_of(&x.data::<T>());
    let mut sizes: Vec<usize> = t.sizes().to_vec();
    // Only the linear kernel of two dimensions keeps the weights of 16-bit images exact.
    let exact = filter == Filter::Linear && target.sizes.len() == 2;
    let narrow = (t.dtype().size() == 2 && !exact).then_some(t.dtype());
    for d in (0..target.sizes.len()).rev() {
        let (at, output) = (d + 2, target.sizes[d]);
        let input = sizes[at];
        let unchanged = input == output && (align || target.factors[d].is_none_or(|f| f == 1.0));
        if unchanged {
            continue;
        }
        let pass = Pass {
            filter,
            output,
            align,
            factor: target.factors[d],
            narrow,
        };
        let inner: usize = sizes[at + 1..].iter().product();
        data = T::along(&data, input, inner, &pass);
        sizes[at] = output;
    }
    data
}

/// Resamples the middle one of three dimensions.
fn along<W: Compute>(x: &[W], input: usize, inner: usize, taps: &Taps<W>) -> Buffer<W> {
    let width = taps.width;
    let output = taps.places.len() / width;
    let outer = x.len() / (input * inner).max(1);
    let mut out = Buffer::<W>::stale(memory::times([outer, output, inner]));
    let (size, inner_size) = ((input * inner).max(1), inner.max(1));
    threads::split_rows(&mut out, inner_size, 1, inner * width, &|rows, out| {
        for (number, row) in rows.zip(out.chunks_exact_mut(inner_size)) {
            watch::poll();
            let (image, o) = (number / output * size, number % output);
            let image = &x[image..image + size];
            let places = &taps.places[o * width..(o + 1) * width];
            let weights = &taps.weights[o * width..(o + 1) * width];
            if inner == 1 {
                row[0] = places
                    .iter()
                    .zip(weights)
                    .fold(W::ZERO, |s, (p, w)| s + image[*p] * *w);
                continue;
            }
            row.fill(W::ZERO);
            for (place, weight) in places.iter().zip(weights) {
                watch::poll();
                for (r, v) in row.iter_mut().zip(&image[place * inner..][..inner]) {
                    *r += *v * *weight;
                }
            }
        }
    });
    out
}
