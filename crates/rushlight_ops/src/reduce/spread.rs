//! Variance and standard deviation, with or without the mean.
//!
//! Sums of differences from the first element and of their squares are kept in f64: the first element is never farther
//! from the mean than the spread allows, so little is lost in the subtraction at the end.

use super::dims::{Ints, mask, real_pairs};
use super::sum::mean;
use rushlight_kernels::reduce::spread::variances;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, Quantized, op, operators};

operators! {
    /// Variance and standard deviation.
    pub static ROWS = [
        op!("aten::var(Tensor self, bool unbiased=True) -> Tensor", var_all).refused_as("aten::var.correction"),
        op!("aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", var_dim).refused_as("aten::var.correction").out("out", crate::out::cast),
        op!("aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", var).refused_as("aten::var.correction").out("correction_out", crate::out::cast),
        op!("aten::std(Tensor self, bool unbiased=True) -> Tensor", std_all).quantized(Quantized::Numbers),
        op!("aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", std_dim).quantized(Quantized::Numbers).out("out", crate::out::cast),
        op!("aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", std).quantized(Quantized::Numbers).out("correction_out", crate::out::cast),
        op!("aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", var_mean_all),
        op!("aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)", var_mean_dim),
        op!("aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)", var_mean).out("correction_out", crate::out::exact),
        op!("aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", std_mean_all),
        op!("aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)", std_mean_dim),
        op!("aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)", std_mean).out("correction_out", crate::out::exact),
    ];
}

/// Variances, or their square roots if `ROOT`.
fn spread<const ROOT: bool>(
    name: &str,
    input: &Tensor,
    dim: Option<&[i64]>,
    correction: f64,
    keepdim: bool,
) -> Result<Tensor> {
    let dtype = input.dtype();
    if dtype.is_integral(true) {
        return Err(Fault::not_implemented(format!(
            "{name} only support floating point and complex dtypes"
        )));
    }
    let mut mask = mask(dim, input.rank())?;
    let values = if dtype.is_complex() {
        mask.push(false);
        let parts = variances(&real_pairs(input)?, &mask, keepdim, correction)?;
        let sums = parts
            .data::<f64>()
            .chunks_exact(2)
            .map(|p| p[0] + p[1])
            .collected();
        Tensor::from_vec(sums, &parts.sizes()[..parts.rank() - 1])?
    } else {
        variances(input, &mask, keepdim, correction)?
    };
    if !ROOT {
        return Ok(values.to_dtype(dtype.to_real()));
    }
    let roots = values.data::<f64>().iter().map(|v| v.sqrt()).collected();
    Ok(Tensor::from_vec(roots, values.sizes())?.to_dtype(dtype.to_real()))
}

fn number(correction: Option<Scalar>) -> f64 {
    correction.map_or(1.0, Scalar::to_f64)
}

fn with_mean<const ROOT: bool>(
    name: &str,
    input: &Tensor,
    dim: Option<Ints>,
    correction: f64,
    keepdim: bool,
) -> Result<(Tensor, Tensor)> {
    let spread = spread::<ROOT>(name, input, dim.as_deref(), correction, keepdim)?;
    let mask = mask(dim.as_deref(), input.rank())?;
    let means = mean(input, dim, keepdim, None)?;
    let means = match spread.dtype() == means.dtype() {
        true => stepwise(input, &mask, means)?,
        false => means,
    };
    Ok((spread, means))
}

/// Means that were found beside variances, element after element: an infinite one is no number once anything follows.
fn stepwise(input: &Tensor, mask: &[bool], means: Tensor) -> Result<Tensor> {
    let mut values: Vec<f64> = means.to_vec();
    if !values.iter().any(|v| v.is_infinite()) {
        return Ok(means);
    }
    let dims = |reduced: bool| (0..mask.len()).filter(move |d| mask[*d] == reduced);
    let order: Vec<i64> = dims(false).chain(dims(true)).map(|d| d as i64).collect();
    let all: Vec<f64> = input.permute(&order)?.to_vec();
    let count = all.len() / values.len();
    for (value, row) in values.iter_mut().zip(all.chunks_exact(count)) {
        let before = row.split_last().map_or(&[][..], |(_, before)| before);
        if value.is_infinite() && before.iter().any(|x| x.is_infinite()) {
            *value = f64::NAN;
        }
    }
    Ok(Tensor::from_vec(values, means.sizes())?.to_dtype(means.dtype()))
}

/// Warns where nothing is left to divide by.
fn warn_of_freedom(
    cx: &Context,
    name: &str,
    input: &Tensor,
    dim: Option<&[i64]>,
    correction: f64,
) -> Result<()> {
    let mask = mask(dim, input.rank())?;
    let reduced = input
        .sizes()
        .iter()
        .zip(&mask)
        .filter(|(_, reduced)| **reduced);
    let count: f64 = reduced.map(|(size, _)| *size as f64).product();
    if count - correction > 0.0 {
        return Ok(());
    }
    let message = format!(
        "{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel divided by output numel)."
    );
    rushlight_types::warning::warn(cx, &message, None)
}

/// The three forms of a schema (everything, `unbiased`, `correction`) over one body.
macro_rules! forms {
    ($body:ident, $root:literal, $name:literal, $all:ident $dim:ident $correction:ident -> $out:ty) => {
        fn $all(cx: &Context, input: &Tensor, unbiased: bool) -> Result<$out> {
            $correction(cx, input, None, Some(Scalar::Int(unbiased.into())), false)
        }

        fn $dim(
            cx: &Context,
            input: &Tensor,
            dim: Option<Ints>,
            unbiased: bool,
            keepdim: bool,
        ) -> Result<$out> {
            $correction(cx, input, dim, Some(Scalar::Int(unbiased.into())), keepdim)
        }

        #[doc = concat!("`", stringify!($correction), "` with a correction of the divisor.")]
        pub fn $correction(
            cx: &Context,
            input: &Tensor,
            dim: Option<Ints>,
            correction: Option<Scalar>,
            keepdim: bool,
        ) -> Result<$out> {
            let correction = number(correction);
            warn_of_freedom(
                cx,
                stringify!($correction),
                input,
                dim.as_deref(),
                correction,
            )?;
            $body::<$root>($name, input, dim, correction, keepdim)
        }
    };
}

fn alone<const ROOT: bool>(
    name: &str,
    input: &Tensor,
    dim: Option<Ints>,
    correction: f64,
    keepdim: bool,
) -> Result<Tensor> {
    spread::<ROOT>(name, input, dim.as_deref(), correction, keepdim)
}

forms!(alone, false, "std and var", var_all var_dim var -> Tensor);
forms!(alone, true, "std and var", std_all std_dim std -> Tensor);
forms!(with_mean, false, "var_mean", var_mean_all var_mean_dim var_mean -> (Tensor, Tensor));
forms!(with_mean, true, "std_mean", std_mean_all std_mean_dim std_mean -> (Tensor, Tensor));
