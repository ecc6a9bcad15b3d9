//! Linear, cubic and antialiased resampling.

use super::taps::Filter;
use super::{Floats, Ints, ResampledSizes, in_format_of};
use rushlight_kernels::compute::{compute, dense, finish};
use rushlight_kernels::nn::resample::smooth::{Pass, Samples};
use rushlight_tensor::{Buffer, DType, Dims, Fault, Result, Tensor};
use rushlight_types::{Quantized, op, operators};

operators! {
    /// Smooth resampling.
    pub static ROWS = [
        op!("aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor", linear1d).out("out", rushlight_ops::out::exact),
        op!("aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", linear1d_vec),
        op!("aten::upsample_bilinear2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", bilinear2d).quantized(Quantized::Native).out("out", rushlight_ops::out::exact),
        op!("aten::upsample_bilinear2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", bilinear2d_vec).quantized(Quantized::Native).out("vec_out", rushlight_ops::out::exact),
        op!("aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", trilinear3d).out("out", rushlight_ops::out::cast),
        op!("aten::upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", trilinear3d_vec),
        op!("aten::upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", bicubic2d).out("out", rushlight_ops::out::exact),
        op!("aten::upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", bicubic2d_vec),
        op!("aten::_upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", bilinear2d_aa).out("out", rushlight_ops::out::exact),
        op!("aten::_upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", bilinear2d_aa_vec),
        op!("aten::_upsample_bicubic2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", bicubic2d_aa).out("out", rushlight_ops::out::exact),
        op!("aten::_upsample_bicubic2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", bicubic2d_aa_vec),
        op!("aten::_upsample_lanczos2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", lanczos2d_aa).out("out", rushlight_ops::out::exact),
        op!("aten::_upsample_lanczos2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", lanczos2d_aa_vec),
    ];
}

fn linear1d(t: &Tensor, sizes: Ints, align: bool, factor: Option<f64>) -> Result<Tensor> {
    resample(
        Filter::Linear,
        t,
        &ResampledSizes::sized(t, &sizes, &[factor])?,
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
        &ResampledSizes::sized(t, &sizes, &[d, h, w])?,
        align,
    )
}

macro_rules! planar {
    ($($name:ident $filter:ident;)*) => {$(
        fn $name(t: &Tensor, sizes: Ints, align: bool, h: Option<f64>, w: Option<f64>) -> Result<Tensor> {
            resample(Filter::$filter, t, &ResampledSizes::sized(t, &sizes, &[h, w])?, align)
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
            let target = ResampledSizes::either(t, $dims, sizes.as_deref(), factors.as_deref())?;
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
pub(super) fn resample(
    filter: Filter,
    t: &Tensor,
    target: &ResampledSizes,
    align: bool,
) -> Result<Tensor> {
    if t.dtype().is_quantized() {
        return super::quantized::bilinear(t, target, align);
    }
    let sizes = target.result_sizes(t)?;
    let is_wide = matches!(
        filter,
        Filter::LinearWide | Filter::CubicWide | Filter::LanczosWide
    );
    if is_wide && matches!(t.dtype(), DType::F16 | DType::BF16) {
        return Err(Fault::no_kernel("compute_index_ranges_weights", t.dtype()));
    }
    if t.dtype() == DType::U8 && target.sizes.len() != 2 {
        return Err(Fault::no_kernel(
            "compute_indices_weights_linear",
            t.dtype(),
        ));
    }
    // Pictures whose channels come last are resampled as they lie in memory.
    let pictures = crate::nn::pool::pictures_of(t, target.sizes.len())?;
    let (x, first, laid) = match &pictures {
        Some(pictures) => (
            pictures,
            1,
            Dims::from_slice(&[sizes[0], sizes[2], sizes[3], sizes[1]]),
        ),
        None => (t, 2, sizes),
    };
    let back = |out: Tensor| match pictures {
        Some(_) => out.view_with(out.layout().permute(&[0, 3, 1, 2])),
        None => in_format_of(out, t),
    };
    if t.dtype() == DType::U8 {
        let out = passes::<u8>(filter, x, first, target, align);
        return back(out.into_tensor(&laid));
    }
    let kernel = match (filter, target.sizes.len()) {
        (Filter::Linear, 2) => "upsample_bilinear2d_channels_last",
        (Filter::Linear, _) => "compute_indices_weights_linear",
        (Filter::Cubic, _) => "compute_indices_weights_cubic",
        _ => "compute_index_ranges_weights",
    };
    let out = compute!(t.dtype(), kernel, W => {
        finish(passes::<W>(filter, x, first, target, align), &laid, t.dtype())
    });
    back(out)
}

/// Resamples the dimensions from the one of number `first` on.
fn passes<T: Samples>(
    filter: Filter,
    t: &Tensor,
    first: usize,
    target: &ResampledSizes,
    align: bool,
) -> Buffer<T> {
    let x = dense::<T>(t);
    let x = x.data::<T>();
    let mut data: Option<Buffer<T>> = None;
    let mut sizes: Vec<usize> = t.sizes().to_vec();
    // Only the linear kernel of two dimensions keeps the weights of 16-bit images exact.
    let exact = filter == Filter::Linear && target.sizes.len() == 2;
    let narrow = (t.dtype().size() == 2 && !exact).then_some(t.dtype());
    for d in (0..target.sizes.len()).rev() {
        let (at, output) = (d + first, target.sizes[d]);
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
        data = Some(T::along(data.as_deref().unwrap_or(&x), input, inner, &pass));
        sizes[at] = output;
    }
    data.unwrap_or_else(|| Buffer::copy_of(&x))
}
