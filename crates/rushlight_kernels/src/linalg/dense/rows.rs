//! Sums and ratios of differences, as the roots of rational functions need them.

use crate::isa::{fma, multiversion};

multiversion! {
    /// The sums of `squares / gap` and of `squares / gap²` for the gaps between poles and a value.
    pub fn sums(poles: &[f64], squares: &[f64], origin: f64, x: f64) -> (f64, f64) = sums_of
}
multiversion! {
    /// Multiplies by the ratios of gaps and differences of poles.
    pub fn multiply_ratios(out: &mut [f64], gaps: &[f64], poles: &[f64], pole: f64) = multiply_ratios_of
}
multiversion! {
    /// Divides numbers by a row, in its place; the sum of the squares.
    pub fn divide_into(row: &mut [f64], numbers: &[f64]) -> f64 = divide_into_row
}

const LANES: usize = 16;

#[inline(always)]
fn sums_of<const FUSED: bool>(poles: &[f64], squares: &[f64], origin: f64, x: f64) -> (f64, f64) {
    let (mut sum, mut slope) = ([0.0; LANES], [0.0; LANES]);
    let mut add = |l: usize, pole: f64, square: f64| {
        let one = 1.0 / ((pole - origin) - x);
        let term = square * one;
        sum[l] += term;
        slope[l] = fma::<f64, FUSED>(term, one, slope[l]);
    };
    let (p, s) = (poles.chunks_exact(LANES), squares.chunks_exact(LANES));
    for (l, (pole, square)) in p.remainder().iter().zip(s.remainder()).enumerate() {
        add(l, *pole, *square);
    }
    for (p, s) in p.zip(s) {
        for l in 0..LANES {
            add(l, p[l], s[l]);
        }
    }
    (sum.iter().sum(), slope.iter().sum())
}

#[inline(always)]
fn multiply_ratios_of<const FUSED: bool>(out: &mut [f64], gaps: &[f64], poles: &[f64], pole: f64) {
    for ((out, gap), own) in out.iter_mut().zip(gaps).zip(poles) {
        *out *= gap / (own - pole);
    }
}

#[inline(always)]
fn divide_into_row<const FUSED: bool>(row: &mut [f64], numbers: &[f64]) -> f64 {
    let mut square = [0.0; LANES];
    for (row, numbers) in row.chunks_mut(LANES).zip(numbers.chunks(LANES)) {
        for ((x, number), sum) in row.iter_mut().zip(numbers).zip(&mut square) {
            *x = number / *x;
            *sum = fma::<f64, FUSED>(*x, *x, *sum);
        }
    }
    square.iter().sum()
}
