//! The interpreter's own forms of interpolation, with the mode as a string.

use super::nearest::{self, Rule};
use super::smooth;
use super::taps::Filter;
use super::{Floats, Ints, ResampledSizes};
use crate::nn::pool::adaptive::adaptive_means;
use rushlight_tensor::memory;
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::{Quantized, op, operators};

operators! {
    /// Interpolation by mode.
    pub static ROWS = [
        op!("aten::__interpolate(Tensor input, int? size=None, float? scale_factor=None, str mode=\"nearest\", bool? align_corners=None, bool? recompute_scale_factor=None, bool antialias=False) -> Tensor", interpolate).quantized(Quantized::Steps),
        op!("aten::__interpolate.scale_list(Tensor input, int? size=None, float[]? scale_factor=None, str mode=\"nearest\", bool? align_corners=None, bool? recompute_scale_factor=None, bool antialias=False) -> Tensor", interpolate).quantized(Quantized::Steps),
        op!("aten::__interpolate.size_list(Tensor input, int[]? size=None, float? scale_factor=None, str mode=\"nearest\", bool? align_corners=None, bool? recompute_scale_factor=None, bool antialias=False) -> Tensor", interpolate).quantized(Quantized::Steps),
        op!("aten::__interpolate.size_list_scale_list(Tensor input, int[]? size=None, float[]? scale_factor=None, str mode=\"nearest\", bool? align_corners=None, bool? recompute_scale_factor=None, bool antialias=False) -> Tensor", interpolate).quantized(Quantized::Steps),
        op!("aten::__upsample(Tensor input, int? size=None, int? scale_factor=None, str mode=\"nearest\", bool? align_corners=None) -> Tensor", upsample),
        op!("aten::__upsample.size_list(Tensor input, int[]? size=None, int? scale_factor=None, str mode=\"nearest\", bool? align_corners=None) -> Tensor", upsample),
        op!("aten::__upsample_nearest(Tensor input, int? size=None, int? scale_factor=None) -> Tensor", upsample_nearest),
        op!("aten::__upsample_nearest.size_list(Tensor input, int[]? size=None, int? scale_factor=None) -> Tensor", upsample_nearest),
        op!("aten::__upsample_bilinear(Tensor input, int? size=None, int? scale_factor=None) -> Tensor", upsample_bilinear),
        op!("aten::__upsample_bilinear.size_list(Tensor input, int[]? size=None, int? scale_factor=None) -> Tensor", upsample_bilinear),
        op!("aten::__upsample_bilinear.scale_list(Tensor input, int? size=None, int[]? scale_factor=None) -> Tensor", upsample_bilinear),
        op!("aten::__upsample_bilinear.size_list_scale_list(Tensor input, int[]? size=None, int[]? scale_factor=None) -> Tensor", upsample_bilinear),
    ];
}

/// A list with a value per dimension from one with a value for all.
fn spread<T: Copy>(values: &[T], dims: usize) -> Vec<T> {
    if values.len() == 1 {
        memory::filled(dims, values[0])
    } else {
        values.to_vec()
    }
}

/// Whole factors as factors.
fn floats(factors: Option<Ints>) -> Option<Floats> {
    factors.map(|f| f.iter().map(|v| *v as f64).collect())
}

fn upsample(
    t: &Tensor,
    size: Option<Ints>,
    factor: Option<Ints>,
    mode: &str,
    align: Option<bool>,
) -> Result<Tensor> {
    interpolate(t, size, floats(factor), mode, align, None, false)
}

fn upsample_nearest(t: &Tensor, size: Option<Ints>, factor: Option<Ints>) -> Result<Tensor> {
    interpolate(t, size, floats(factor), "nearest", None, None, false)
}

fn upsample_bilinear(t: &Tensor, size: Option<Ints>, factor: Option<Ints>) -> Result<Tensor> {
    interpolate(t, size, floats(factor), "bilinear", Some(true), None, false)
}

fn interpolate(
    t: &Tensor,
    size: Option<Ints>,
    factor: Option<Floats>,
    mode: &str,
    align: Option<bool>,
    recompute: Option<bool>,
    antialias: bool,
) -> Result<Tensor> {
    let fail = |message: String| Err(Fault::runtime(message));
    if antialias {
        return fail("Antialias is not yet supported".to_string());
    }
    if matches!(mode, "nearest" | "area" | "nearest-exact") && align.is_some() {
        return fail(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
                .to_string(),
        );
    }
    let Some(dims) = t.rank().checked_sub(2).filter(|d| (1..=3).contains(d)) else {
        return fail(format!(
            "Input Error: Only 3D, 4D and 5D input Tensors supported (got {}D) for the modes: nearest | linear | bilinear | trilinear (got {mode})",
            t.rank()
        ));
    };
    let (size, factor) = match (size, factor) {
        (Some(_), Some(_)) => {
            return fail("only one of size or scale_factor should be defined".to_string());
        }
        (None, None) => return fail("either size or scale_factor should be defined".to_string()),
        (size, factor) => (
            size.map(|s| spread(&s, dims)),
            factor.map(|f| spread(&f, dims)),
        ),
    };
    let lengths = size.as_ref().map_or(dims, Vec::len) == dims
        && factor.as_ref().map_or(dims, Vec::len) == dims;
    if !lengths {
        return fail(format!(
            "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of {:?} and output size of {:?}.",
            &t.sizes()[2..],
            size.unwrap_or_default()
        ));
    }
    let area = mode == "area";
    let (size, factor) = match factor {
        Some(f) if recompute == Some(true) || area => {
            let sizes = f
                .iter()
                .zip(&t.sizes()[2..])
                .map(|(f, s)| (*s as f64 * f).floor() as i64);
            (Some(sizes.collect()), None)
        }
        factor => (size, factor),
    };
    let target = ResampledSizes::either(t, dims, size.as_deref(), factor.as_deref())?;
    let align = align.unwrap_or(false);
    match (mode, dims) {
        ("nearest", _) => nearest::resample(Rule::Start, t, &target),
        ("nearest-exact", _) => nearest::resample(Rule::Center, t, &target),
        ("area", _) => {
            let sizes: Ints = target.sizes.iter().map(|s| *s as i64).collect();
            adaptive_means(t, dims, &sizes)
        }
        ("linear", 1) | ("bilinear", 2) | ("trilinear", 3) => {
            smooth::resample(Filter::Linear, t, &target, align)
        }
        ("bicubic", 2) => smooth::resample(Filter::Cubic, t, &target, align),
        _ => {
            let needs = match mode {
                "linear" => "3D",
                "bilinear" | "bicubic" => "4D",
                "trilinear" => "5D",
                _ => "another kind of",
            };
            fail(format!(
                "Got {}D input, but {mode} mode needs {needs} input",
                t.rank()
            ))
        }
    }
}
