//! Variance and standard deviation, with or without the mean.
//!
//! Sums of differences from the first element and of their squares are kept in f64: the first element is never farther
//! from the mean than the spread allows, so little is lost in the subtraction at the end.

use super::dims::{Ints, Mask, mask, real_pairs, reduced_count, wide_dtype};
use super::fold::{Fold, reduce};
use super::sum::mean;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{DType, Element, Fault, Result, Scalar, Tensor};
use rushlight_types::{op, operators};
use std::marker::PhantomData;

operators! {
    /// Variance and standard deviation.
    pub static ROWS = [
        op!("aten::var(Tensor self, bool unbiased=True) -> Tensor", var_all),
        op!("aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", var_dim),
        op!("aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", var),
        op_out!("aten::var.out(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)", var_dim),
        op_out!("aten::var.correction_out(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False, Tensor(a!) out) -> Tensor(a!)", var),
        op!("aten::std(Tensor self, bool unbiased=True) -> Tensor", std_all),
        op!("aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", std_dim),
        op!("aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", std),
        op_out!("aten::std.out(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)", std_dim),
        op_out!("aten::std.correction_out(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False, Tensor(a!) out) -> Tensor(a!)", std),
        op!("aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", var_mean_all),
        op!("aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)", var_mean_dim),
        op!("aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)", var_mean),
        op_out_exact!("aten::var_mean.correction_out(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))", var_mean),
        op!("aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", std_mean_all),
        op!("aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)", std_mean_dim),
        op!("aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)", std_mean),
        op_out_exact!("aten::std_mean.correction_out(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))", std_mean),
    ];
}

struct Moments<T>(PhantomData<T>);

/// Sums of differences from `shift`, the first element, and of their squares.
#[derive(Clone, Copy)]
struct Sums {
    shift: Option<f64>,
    first: f64,
    second: f64,
}

const LANES: usize = 8;

impl<T: Element> Fold for Moments<T> {
    type In = T;
    type Acc = Sums;
    fn start(&self) -> Sums {
        Sums {
            shift: None,
            first: 0.0,
            second: 0.0,
        }
    }
    #[inline(always)]
    fn run(&self, mut acc: Sums, run: &[T]) -> Sums {
        let Some(head) = run.first() else {
            return acc;
        };
        let shift = *acc.shift.get_or_insert(head.to_f64());
        let (mut first, mut second) = ([0f64; LANES], [0f64; LANES]);
        let mut chunks = run.chunks_exact(LANES);
        for chunk in &mut chunks {
            for ((a, b), x) in first.iter_mut().zip(&mut second).zip(chunk) {
                let d = x.to_f64() - shift;
                *a += d;
                *b += d * d;
            }
        }
        for x in chunks.remainder() {
            let d = x.to_f64() - shift;
            acc.first += d;
            acc.second += d * d;
        }
        if run.len() >= LANES {
            acc.first += first.iter().sum::<f64>();
            acc.second += second.iter().sum::<f64>();
        }
        acc
    }
    #[inline(always)]
    fn rows(&self, acc: &mut [Sums], rows: &[T]) {
        for row in rows.chunks_exact(acc.len()) {
            for (a, x) in acc.iter_mut().zip(row) {
                let x = x.to_f64();
                let d = x - *a.shift.get_or_insert(x);
                a.first += d;
                a.second += d * d;
            }
        }
    }
}

/// Variances in f64 of a real tensor.
fn variances(input: &Tensor, mask: &Mask, keepdim: bool, correction: f64) -> Result<Tensor> {
    let count = reduced_count(input.sizes(), mask) as f64;
    let finish = |sums: Sums| {
        let squares = sums.second - sums.first * sums.first / count;
        let squares = if squares < 0.0 { 0.0 } else { squares };
        squares / (count - correction).max(0.0)
    };
    let wide = input.to_dtype(wide_dtype(input.dtype()));
    match wide.dtype() {
        DType::F32 => reduce(&wide, mask, keepdim, &Moments::<f32>(PhantomData), finish),
        _ => reduce(&wide, mask, keepdim, &Moments::<f64>(PhantomData), finish),
    }
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
    Ok((spread, mean(input, dim, keepdim, None)?))
}

/// The three forms of a schema (everything, `unbiased`, `correction`) over one body.
macro_rules! forms {
    ($body:ident, $root:literal, $name:literal, $all:ident $dim:ident $correction:ident -> $out:ty) => {
        fn $all(input: &Tensor, unbiased: bool) -> Result<$out> {
            $body::<$root>($name, input, None, unbiased as i64 as f64, false)
        }

        fn $dim(input: &Tensor, dim: Option<Ints>, unbiased: bool, keepdim: bool) -> Result<$out> {
            $body::<$root>($name, input, dim, unbiased as i64 as f64, keepdim)
        }

        #[doc = concat!("`", stringify!($correction), "` with a correction of the divisor.")]
        pub fn $correction(
            input: &Tensor,
            dim: Option<Ints>,
            correction: Option<Scalar>,
            keepdim: bool,
        ) -> Result<$out> {
            $body::<$root>($name, input, dim, number(correction), keepdim)
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
