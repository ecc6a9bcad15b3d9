//! Sums of elements: floats in blocks, integers with wrapping.

use super::dims::{Mask, complex_of_pairs, real_pairs, wide_dtype};
use super::fold::{Fold, reduce};
use super::wide::{self, BLOCK};
use crate::compute::{halved, lane_total, short_sum};
use rushlight_tensor::{Bool8, DType, Result, Tensor};
use std::marker::PhantomData;

/// The sum of the elements; with `SKIP_NAN`, of those that are not NaN.
pub struct Sum<T, const SKIP_NAN: bool>(pub PhantomData<T>);

/// The number of elements that are not NaN.
pub struct CountNumbers<T>(pub PhantomData<T>);

/// Rows that are added up in the elements' own type before their sums are added in f64.
const ROWS: usize = 8;

/// Lanes that a block is added in.
const LANES: usize = 32;

macro_rules! float_sums {
    ($($t:ident $in_vectors:expr;)*) => {$(
        impl<const SKIP_NAN: bool> Sum<$t, SKIP_NAN> {
            /// The sum in lanes, block by block.
            #[inline(always)]
            fn blocks(acc: f64, run: &[$t]) -> f64 {
                let term = |x: $t| if SKIP_NAN && x.is_nan() { 0.0 } else { x };
                run.chunks(BLOCK).fold(acc, |acc, block| {
                    let mut lanes = [0 as $t; LANES];
                    let mut chunks = block.chunks_exact(LANES);
                    for chunk in &mut chunks {
                        for (lane, &x) in lanes.iter_mut().zip(chunk) {
                            *lane += term(x);
                        }
                    }
                    let rest = short_sum(chunks.remainder(), |x| term(x) as f64);
                    acc + if block.len() < LANES { rest } else { rest + lane_total(&halved(&lanes).map(|l| l as f64)) }
                })
            }

            /// Adds rows of a number of elements that divides that of the lanes: whole rows go to lanes.
            #[inline(always)]
            fn narrow_rows(acc: &mut [f64], rows: &[$t]) {
                let width = acc.len();
                let term = |x: $t| if SKIP_NAN && x.is_nan() { 0.0 } else { x };
                for block in rows.chunks(BLOCK) {
                    let mut lanes = [0 as $t; LANES];
                    let mut chunks = block.chunks_exact(LANES);
                    for chunk in &mut chunks {
                        for (lane, &x) in lanes.iter_mut().zip(chunk) {
                            *lane += term(x);
                        }
                    }
                    for (lane, &x) in lanes.iter_mut().zip(chunks.remainder()) {
                        *lane += term(x);
                    }
                    for lanes in lanes.chunks_exact(width) {
                        for (acc, lane) in acc.iter_mut().zip(lanes) {
                            *acc += *lane as f64;
                        }
                    }
                }
            }

            /// The same as a function of its own: lanes stay in registers whatever surrounds the call.
            #[inline(never)]
            fn long(acc: f64, run: &[$t]) -> f64 {
                Self::blocks(acc, run)
            }
        }

        impl<const SKIP_NAN: bool> Fold for Sum<$t, SKIP_NAN> {
            type In = $t;
            type Acc = f64;
            fn start(&self) -> f64 {
                0.0
            }
            #[inline(always)]
            fn run(&self, acc: f64, run: &[$t]) -> f64 {
                if run.len() < BLOCK {
                    return Self::blocks(acc, run);
                }
                let in_vectors: fn(&[$t]) -> Option<f64> = $in_vectors;
                match if SKIP_NAN { None } else { in_vectors(run) } {
                    Some(sum) => acc + sum,
                    None => Self::long(acc, run),
                }
            }
            #[inline(always)]
            fn rows(&self, acc: &mut [f64], rows: &[$t]) {
                let width = acc.len();
                let term = |x: $t| if SKIP_NAN && x.is_nan() { 0.0 } else { x };
                if matches!(width, 2 | 4 | 8 | 16) {
                    return Self::narrow_rows(acc, rows);
                }
                let mut blocks = rows.chunks_exact((ROWS * width).max(1));
                for block in &mut blocks {
                    let [a, b, c, d, e, f, g, h]: [&[$t]; ROWS] =
                        std::array::from_fn(|i| &block[i * width..(i + 1) * width]);
                    for (i, acc) in acc.iter_mut().enumerate() {
                        let near = (term(a[i]) + term(b[i])) + (term(c[i]) + term(d[i]));
                        let far = (term(e[i]) + term(f[i])) + (term(g[i]) + term(h[i]));
                        *acc += (near + far) as f64;
                    }
                }
                for row in blocks.remainder().chunks_exact(width.max(1)) {
                    for (acc, &x) in acc.iter_mut().zip(row) {
                        *acc += term(x) as f64;
                    }
                }
            }
        }

        impl Fold for CountNumbers<$t> {
            type In = $t;
            type Acc = i64;
            fn start(&self) -> i64 {
                0
            }
            #[inline(always)]
            fn run(&self, acc: i64, run: &[$t]) -> i64 {
                acc + run.iter().filter(|x| !x.is_nan()).count() as i64
            }
        }
    )*};
}

float_sums! {
    f32 wide::sum;
    f64 |_| None;
}

macro_rules! integer_sums {
    ($($t:ident, $x:ident => $value:expr;)*) => {$(
        impl Fold for Sum<$t, false> {
            type In = $t;
            type Acc = i64;
            fn start(&self) -> i64 {
                0
            }
            #[inline(always)]
            fn run(&self, acc: i64, run: &[$t]) -> i64 {
                run.iter().fold(acc, |acc, $x| acc.wrapping_add($value))
            }
            #[inline(always)]
            fn rows(&self, acc: &mut [i64], rows: &[$t]) {
                for row in rows.chunks_exact(acc.len()) {
                    for (a, $x) in acc.iter_mut().zip(row) {
                        *a = a.wrapping_add($value);
                    }
                }
            }
        }
    )*};
}

integer_sums! {
    i64, x => *x;
    Bool8, x => x.get() as i64;
}

/// The sum over the dimensions of `mask`, computed in and converted to `dtype`.
pub fn sum_masked(input: &Tensor, mask: &Mask, keepdim: bool, dtype: DType) -> Result<Tensor> {
    sum_scaled(input, mask, keepdim, dtype, 1.0)
}

/// As [`sum_masked`], divided by `divisor` where the dtype is not integral.
pub fn sum_scaled(
    input: &Tensor,
    mask: &Mask,
    keepdim: bool,
    dtype: DType,
    divisor: f64,
) -> Result<Tensor> {
    dtype.computes("sum_cpu")?;
    if dtype.is_complex() {
        let pairs = real_pairs(&input.to_dtype(dtype))?;
        let mut mask = mask.clone();
        mask.push(false);
        let sums = sum_scaled(&pairs, &mask, keepdim, dtype.to_real(), divisor)?;
        return complex_of_pairs(&sums);
    }
    if input.dtype() == DType::Bool && dtype == DType::I64 {
        return reduce(
            input,
            mask,
            keepdim,
            &Sum::<Bool8, false>(PhantomData),
            |a| a,
        );
    }
    let input = input.to_dtype(dtype).to_dtype(wide_dtype(dtype));
    let wide = match input.dtype() {
        DType::F32 => reduce(
            &input,
            mask,
            keepdim,
            &Sum::<f32, false>(PhantomData),
            |a| (a / divisor) as f32,
        ),
        DType::F64 => reduce(
            &input,
            mask,
            keepdim,
            &Sum::<f64, false>(PhantomData),
            |a| a / divisor,
        ),
        _ => reduce(
            &input,
            mask,
            keepdim,
            &Sum::<i64, false>(PhantomData),
            |a| a,
        ),
    }?;
    Ok(wide.to_dtype(dtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_rows_are_added_up_whatever_their_width() {
        for width in 1..=17 {
            for rows in [1, 7, 300] {
                let values: Vec<f32> = (0..rows * width).map(|i| (i % 13) as f32 - 4.0).collect();
                let t = Tensor::from_vec(values, &[rows, width]).unwrap();
                let mask = smallvec::smallvec![true, false];
                let sums = sum_masked(&t, &mask, false, DType::F32).unwrap();
                let values = t.to_vec::<f32>();
                for (column, sum) in sums.to_vec::<f32>().iter().enumerate() {
                    let own = values.iter().skip(column).step_by(width);
                    assert_eq!(*sum, own.sum::<f32>(), "{rows} {width}");
                }
            }
        }
    }
}
