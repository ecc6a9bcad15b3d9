//! Elements by rank: `kthvalue`, `median`, `mode`, quantiles.

use super::dims::{Lanes, without_dim};
use super::keys::{Keys, for_each_lane};
use super::sort::order;
use crate::index::along::gather;
use rushlight_kernels::reduce::ranking::{Chosen, Rank};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Buffer, DType, Dims, Fault, Result, Scalar, Tensor, watch};
use rushlight_types::{Apart, OutDtype, op, operators};
use std::ops::{Add, Mul, Sub};

operators! {
    /// Elements by rank.
    pub static ROWS = [
        op!("aten::kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", kthvalue).out("values", crate::out::cast).out_dtype(OutDtype::Same("output values must be of same type as input|output indices must be of scalar type Long")).apart(Apart::WHOLLY),
        op!("aten::median(Tensor self) -> Tensor", median_all).out("out", crate::out::exact),
        op!("aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", median).out("dim_values", crate::out::cast).out_dtype(OutDtype::Same("Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type torch.{out}Tensor does not equal torch.{result}Tensor (while checking arguments for median)|Expected tensor for argument #1 'indices' to have scalar type Long; but got torch.{out}Tensor instead (while checking arguments for median)")),
        op!("aten::nanmedian(Tensor self) -> Tensor", nanmedian_all).out("out", crate::out::exact),
        op!("aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", nanmedian).out("dim_values", crate::out::cast).out_dtype(OutDtype::Same("Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type torch.{out}Tensor does not equal torch.{result}Tensor (while checking arguments for median)|Expected tensor for argument #1 'indices' to have scalar type Long; but got torch.{out}Tensor instead (while checking arguments for median)")),
        op!("aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", mode).out("values", crate::out::cast).out_dtype(OutDtype::Same("expected scalar type '{result}' but got '{out}' for values output|expected scalar type '{result}' but got '{out}' for indices output")),
        op!("aten::quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", quantile).out("out", crate::out::cast).out_dtype(OutDtype::Same("quantile() out tensor must be same dtype as the input tensor")),
        op!("aten::quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", quantile_scalar).out("scalar_out", crate::out::cast).out_dtype(OutDtype::Same("quantile() out tensor must be same dtype as the input tensor")),
        op!("aten::nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", nanquantile).out("out", crate::out::cast).out_dtype(OutDtype::Same("quantile() out tensor must be same dtype as the input tensor")),
        op!("aten::nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor", nanquantile_scalar).out("scalar_out", crate::out::cast).out_dtype(OutDtype::Same("quantile() out tensor must be same dtype as the input tensor")),
    ];
}

/// Values and indices of one element per lane.
fn choose(input: &Tensor, dim: usize, keepdim: bool, rank: Rank) -> Result<(Tensor, Tensor)> {
    if input.rank() == 0 && input.dtype().is_complex() {
        return Ok((input.contiguous_copy(), Tensor::zeros(&[], DType::I64)?));
    }
    let lanes = Lanes::of(input.sizes(), dim);
    let mut indices = Buffer::<i64>::unspecified(lanes.count());
    let mut task = Chosen {
        rank,
        nan: Keys::nan(input.dtype()),
        indices: &mut indices,
    };
    for_each_lane(&Keys::of(input)?, lanes, &mut task);
    let kept = without_dim(input.sizes(), dim, true);
    let indices = indices.into_tensor(&kept);
    let values = gather(input, dim as i64, &indices)?;
    let sizes = without_dim(input.sizes(), dim, keepdim);
    Ok((values.reshape_to(&sizes)?, indices.reshape_to(&sizes)?))
}

fn check_dtype(input: &Tensor, kernel: &str, bool_too: bool) -> Result<()> {
    let dtype = input.dtype();
    // A number alone is ranked without being looked at.
    if input.rank() == 0 && dtype.is_complex() && !kernel.starts_with("median") {
        return Ok(());
    }
    if dtype.is_complex() || dtype.is_wide_unsigned() || (dtype == DType::Bool && !bool_too) {
        return Err(Fault::no_kernel(kernel, dtype));
    }
    Ok(())
}

fn check_size(name: &str, input: &Tensor, dim: usize) -> Result<()> {
    if input.rank() > 0 && input.size(dim) == 0 {
        return Err(Fault::index(format!(
            "{name}(): Expected reduction dim {dim} to have non-zero size."
        )));
    }
    Ok(())
}

/// `kthvalue`.
pub fn kthvalue(input: &Tensor, k: i64, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let d = wrap_dim(dim, input.rank())?;
    check_size("kthvalue", input, d)?;
    let n = Lanes::of(input.sizes(), d).n;
    if k < 1 || k as usize > n {
        return Err(Fault::runtime(format!(
            "kthvalue(): selected number k out of range for dimension {d}"
        )));
    }
    check_dtype(input, "kthvalue_cpu", false)?;
    choose(input, d, keepdim, Rank::At(k as usize - 1))
}

fn middle(input: &Tensor, dim: i64, keepdim: bool, rank: Rank) -> Result<(Tensor, Tensor)> {
    let d = wrap_dim(dim, input.rank())?;
    check_size("median", input, d)?;
    check_dtype(input, "median_out", false)?;
    choose(input, d, keepdim, rank)
}

fn middle_of_all(input: &Tensor, rank: Rank) -> Result<Tensor> {
    check_dtype(input, "median_cpu", false)?;
    if input.numel() == 0 {
        let lowest = match input.dtype() {
            d if d.is_float() => Scalar::Float(f64::NAN),
            // A number that is none, as processors convert it.
            DType::I32 | DType::I64 => Scalar::Int(i64::MIN >> (64 - 8 * input.dtype().size())),
            _ => Scalar::Int(0),
        };
        return Ok(Tensor::scalar(lowest, input.dtype()));
    }
    let flat = input.reshape_to(&[input.numel()])?;
    Ok(choose(&flat, 0, false, rank)?.0)
}

/// `median` along a dimension.
pub fn median(input: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    middle(input, dim, keepdim, Rank::Median)
}

/// `nanmedian` along a dimension.
pub fn nanmedian(input: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    middle(input, dim, keepdim, Rank::NanMedian)
}

/// `median` of everything.
pub fn median_all(input: &Tensor) -> Result<Tensor> {
    middle_of_all(input, Rank::Median)
}

/// `nanmedian` of everything.
pub fn nanmedian_all(input: &Tensor) -> Result<Tensor> {
    middle_of_all(input, Rank::NanMedian)
}

/// `mode`.
pub fn mode(input: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let d = wrap_dim(dim, input.rank())?;
    check_size("mode", input, d)?;
    check_dtype(input, "mode_cpu", true)?;
    choose(input, d, keepdim, Rank::Mode)
}

/// How a quantile between two elements is made of them.
#[derive(Clone, Copy)]
enum Interpolation {
    Linear,
    Lower,
    Higher,
    Midpoint,
    Nearest,
}

impl Interpolation {
    fn parse(name: &str) -> Result<Interpolation> {
        Ok(match name {
            "linear" => Interpolation::Linear,
            "lower" => Interpolation::Lower,
            "higher" => Interpolation::Higher,
            "midpoint" => Interpolation::Midpoint,
            "nearest" => Interpolation::Nearest,
            other => {
                return Err(Fault::runtime(format!(
                    "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {other}"
                )));
            }
        })
    }

    /// The value at a fractional rank of sorted values, with the arithmetic of their dtype; `at` reads them.
    fn value(self, rank: f64, dtype: DType, at: impl Fn(usize) -> f64) -> f64 {
        let (low, high) = (rank.floor(), rank.ceil());
        let (a, b) = (at(low as usize), at(high as usize));
        match self {
            Interpolation::Linear => match dtype {
                DType::F32 => lerp(a as f32, b as f32, (rank - low) as f32) as f64,
                _ => lerp(a, b, rank - low),
            },
            Interpolation::Midpoint => lerp(a, b, 0.5),
            Interpolation::Lower => a,
            Interpolation::Higher => b,
            Interpolation::Nearest => at(rank.round_ties_even() as usize),
        }
    }
}

/// Between two numbers, with the arithmetic of their type.
fn lerp<T>(a: T, b: T, weight: T) -> T
where
    T: Copy + PartialOrd + From<f32> + Add<Output = T> + Sub<Output = T> + Mul<Output = T>,
{
    // Two infinities of one sign give NaN, as in the reference.
    if weight < T::from(0.5) {
        a + weight * (b - a)
    } else {
        b - (b - a) * (T::from(1.0) - weight)
    }
}

fn check_quantile(input: &Tensor, q: &Tensor) -> Result<()> {
    let dtype = input.dtype();
    let problem = if input.numel() == 0 {
        "input tensor must be non-empty"
    } else if q.rank() > 1 {
        "q must be a scalar or 1D tensor"
    } else if dtype != DType::F32 && dtype != DType::F64 {
        "input tensor must be either float or double dtype"
    } else if q.dtype() != dtype {
        "q tensor must be same dtype as the input tensor"
    } else if q.to_vec::<f64>().iter().any(|q| !(0.0..=1.0).contains(q)) {
        "q values must be in the range [0, 1]"
    } else {
        return Ok(());
    };
    Err(Fault::runtime(format!("quantile() {problem}")))
}

fn quantiles(
    input: &Tensor,
    q: &Tensor,
    dim: Option<i64>,
    keepdim: bool,
    interpolation: &str,
    skip_nan: bool,
) -> Result<Tensor> {
    check_quantile(input, q)?;
    let interpolation = Interpolation::parse(interpolation)?;
    let (lanes_of, d) = match dim {
        Some(dim) => (input.clone(), wrap_dim(dim, input.rank())?),
        None => (input.reshape_to(&[input.numel()])?, 0),
    };
    let reduced: Dims = match dim {
        Some(_) => without_dim(input.sizes(), d, keepdim),
        None if keepdim => smallvec::smallvec![1; input.rank()],
        None => Dims::new(),
    };
    let lanes = Lanes::of(lanes_of.sizes(), d);
    let sorted = gather(&lanes_of, d as i64, &order(&lanes_of, d, false)?)?;
    let data = sorted.to_vec::<f64>();
    let wanted = q.to_vec::<f64>();
    let mut out = memory::filled(memory::times([wanted.len(), lanes.count()]), 0f64);
    for lane in 0..lanes.count() {
        watch::poll();
        let start = lanes.start(lane);
        let at = |k: usize| data[start + k * lanes.inner];
        let numbers = (0..lanes.n)
            .rev()
            .find(|&k| !at(k).is_nan())
            .map_or(0, |k| k + 1);
        let usable = if skip_nan || numbers == lanes.n {
            numbers
        } else {
            0
        };
        for (i, &q) in wanted.iter().enumerate() {
            out[lane * wanted.len() + i] = match usable {
                0 => f64::NAN,
                n => interpolation.value(q * (n - 1) as f64, input.dtype(), at),
            };
        }
    }
    // Quantiles of the same elements are neighbours in memory, and lead the result.
    let rank = reduced.len() as i64;
    let mut sizes = reduced;
    sizes.extend_from_slice(q.sizes());
    let out = Tensor::from_vec(out, &sizes)?.to_dtype(input.dtype());
    let lead: Vec<i64> = (rank..sizes.len() as i64).chain(0..rank).collected();
    out.permute(&lead)
}

fn quantile(
    input: &Tensor,
    q: &Tensor,
    dim: Option<i64>,
    keepdim: bool,
    interpolation: &str,
) -> Result<Tensor> {
    quantiles(input, q, dim, keepdim, interpolation, false)
}

fn nanquantile(
    input: &Tensor,
    q: &Tensor,
    dim: Option<i64>,
    keepdim: bool,
    interpolation: &str,
) -> Result<Tensor> {
    quantiles(input, q, dim, keepdim, interpolation, true)
}

/// A quantile given as a number, checked.
fn number(q: f64, dtype: DType) -> Result<Tensor> {
    if !(0.0..=1.0).contains(&q) {
        return Err(Fault::runtime(format!(
            "quantile() q must be in the range [0, 1] but got {}",
            rushlight_types::general_text(q, 6)
        )));
    }
    Ok(Tensor::scalar(Scalar::Float(q), dtype))
}

fn quantile_scalar(
    input: &Tensor,
    q: f64,
    dim: Option<i64>,
    keepdim: bool,
    interpolation: &str,
) -> Result<Tensor> {
    quantile(
        input,
        &number(q, input.dtype())?,
        dim,
        keepdim,
        interpolation,
    )
}

fn nanquantile_scalar(
    input: &Tensor,
    q: f64,
    dim: Option<i64>,
    keepdim: bool,
    interpolation: &str,
) -> Result<Tensor> {
    nanquantile(
        input,
        &number(q, input.dtype())?,
        dim,
        keepdim,
        interpolation,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_decides_the_median_unless_skipped() {
        let t = Tensor::from_slice(&[1.0f32, f32::NAN, 0.0, f32::NAN], &[4]).unwrap();
        assert_eq!(median(&t, 0, false).unwrap().1.to_vec::<i64>(), [1]);
        assert_eq!(nanmedian(&t, 0, false).unwrap().0.to_vec::<f32>(), [0.0]);
    }

    #[test]
    fn the_mode_is_the_smallest_of_the_most_frequent() {
        let t = Tensor::from_slice(&[3i64, 3, 1, 1, 2], &[5]).unwrap();
        let (values, indices) = mode(&t, 0, false).unwrap();
        assert_eq!(
            (values.to_vec::<i64>(), indices.to_vec::<i64>()),
            (vec![1], vec![3])
        );
    }

    #[test]
    fn quantiles_lead_the_result_when_there_are_several() {
        let t = Tensor::from_vec((0..12).map(|v| v as f32).collect(), &[3, 4]).unwrap();
        let q = Tensor::from_slice(&[0.5f32, 0.1], &[2]).unwrap();
        let out = quantile(&t, &q, Some(1), true, "linear").unwrap();
        assert_eq!(out.sizes(), [2, 3, 1]);
        for (got, want) in out
            .to_vec::<f32>()
            .iter()
            .zip([1.5, 5.5, 9.5, 0.3, 4.3, 8.3])
        {
            assert!((got - want).abs() < 1e-6);
        }
    }
}
