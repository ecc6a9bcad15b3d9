//! Transforms of rows against the sums that define them.

use super::*;
use crate::wide::tests::with_each;
use std::f64::consts::TAU;

/// The sums that define the transform of a row.
fn summed(row: &[Complex<f64>], n: usize, sign: f64) -> Vec<Complex<f64>> {
    let root = |k: usize| {
        let (sin, cos) = (sign * TAU * k as f64 / n as f64).sin_cos();
        Complex::new(cos, sin)
    };
    let roots: Vec<_> = (0..n).map(root).collect();
    let term = |j: usize, k: usize| row.get(j).copied().unwrap_or_default() * roots[j * k % n];
    (0..n).map(|k| (0..n).map(|j| term(j, k)).sum()).collect()
}

fn near(found: &Tensor, expected: &[Complex<f64>], what: &str) {
    let largest = expected.iter().fold(1.0, |m: f64, z| m.max(z.norm()));
    let exact = found.dtype().to_real() == DType::F64;
    let bound = if exact { 1e-14 } else { 1e-6 } * largest;
    let found = found.to_vec::<Complex<f64>>();
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).norm() < bound, "{what}: {a} and not {b}");
    }
}

fn values(count: usize) -> Vec<Complex<f64>> {
    let part = |i: usize| (i as f64 * 1.7).sin();
    (0..count)
        .map(|i| Complex::new(part(i), part(i * i + 1)))
        .collect()
}

/// Few rows and many, of lengths with and without other factors, cut, padded and as they are, in both precisions.
/// A transform of a row.
type Transform<'a> = dyn Fn(&[Complex<f64>]) -> Vec<Complex<f64>> + 'a;

#[test]
fn rows_are_the_sums_that_define_them() {
    with_each(rows_of_many_lengths, |found| found.unwrap());
}

fn rows_of_many_lengths() -> Result<()> {
    for n in [
        1, 2, 3, 4, 7, 8, 9, 10, 12, 14, 16, 25, 30, 31, 37, 48, 50, 60, 64, 74, 77, 100, 128,
    ] {
        for (count, from) in [(1, n), (2, n + 1), (5, n), (19, n), (11, n - 1)] {
            for dtype in [DType::C64, DType::C128] {
                let all = values(count * from);
                let z = Tensor::from_vec(all.clone(), &[count, from])?.to_dtype(dtype);
                let what = format!("{count} of {n} from {from} in {dtype}");
                for direction in [Direction::Forward, Direction::Inverse] {
                    let sign = if direction == Direction::Forward {
                        -1.0
                    } else {
                        1.0
                    };
                    let rows = |of: &Transform<'_>| {
                        let row = |i: usize| of(&all[i * from..][..from.min(n)]);
                        (0..count).flat_map(row).collect::<Vec<_>>()
                    };
                    let expected = rows(&|row| summed(row, n, sign));
                    near(
                        &complex_to_complex(&z, n, direction, 1.0)?,
                        &expected,
                        &what,
                    );
                    // A half spectrum of as many numbers.
                    let length = 2 * (n - 1) + from % 2;
                    if length == 0 {
                        continue;
                    }
                    let expected = rows(&|row| {
                        let mut whole = vec![Complex::default(); length];
                        for (k, z) in row.iter().enumerate().take(length / 2 + 1) {
                            whole[(length - k) % length] = z.conj();
                            whole[k] = *z;
                            if k == 0 || 2 * k == length {
                                whole[k].im = 0.0;
                            }
                        }
                        let real = summed(&whole, length, sign).into_iter();
                        real.map(|z| Complex::new(z.re * 0.5, 0.0)).collect()
                    });
                    near(
                        &complex_to_real(&z, length, direction, 0.5)?,
                        &expected,
                        &what,
                    );
                }
                let x = Tensor::from_vec(all.iter().map(|z| z.re).collect(), &[count, from])?
                    .to_dtype(dtype.to_real());
                for onesided in [true, false] {
                    let kept = if onesided { n / 2 + 1 } else { n };
                    let expected: Vec<_> = (0..count)
                        .flat_map(|i| {
                            let row = &all[i * from..][..from.min(n)];
                            let row: Vec<_> = row.iter().map(|z| Complex::new(z.re, 0.0)).collect();
                            summed(&row, n, -1.0).into_iter().take(kept)
                        })
                        .collect();
                    near(&real_to_complex(&x, n, 1.0, onesided)?, &expected, &what);
                }
            }
        }
    }
    Ok(())
}

#[test]
fn frames_are_multiplied_by_their_window() -> Result<()> {
    let x: Vec<f32> = (0..80).map(|i| (i as f32 * 0.3).sin()).collect();
    let w: Vec<f32> = (0..16).map(|i| i as f32 / 16.0).collect();
    let t = Tensor::from_slice(&x, &[2, 40])?;
    let window = Tensor::from_slice(&w, &[16])?;
    let found = frames_to_complex(&t, [5, 16, 6], Some(&window), 1.0)?;
    let frame = |i: usize| {
        let row = &x[i / 5 * 40 + i % 5 * 6..][..16];
        let row: Vec<_> = row.iter().zip(&w).map(|(x, w)| f64::from(x * w)).collect();
        let row: Vec<_> = row.iter().map(|v| Complex::new(*v, 0.0)).collect();
        summed(&row, 16, -1.0).into_iter().take(9)
    };
    let expected: Vec<_> = (0..10).flat_map(frame).collect();
    near(&found, &expected, "frames");
    Ok(())
}

/// Lengths that are matrices of one row, products with a chirp, and too long for rows to go together.
#[test]
fn long_rows_come_back() {
    with_each(long_rows, |found| found.unwrap());
}

fn long_rows() -> Result<()> {
    for n in [
        300,
        331,
        400,
        512,
        1000,
        1024,
        2002,
        2048,
        6561,
        10_007,
        32_768,
        100_003,
        1 << 17,
    ] {
        for (count, dtype) in [(1, DType::C64), (20, DType::C64), (3, DType::C128)] {
            if n * count > 1 << 17 {
                continue;
            }
            let all = values(n * count);
            let z = Tensor::from_vec(all.clone(), &[count, n])?.to_dtype(dtype);
            let what = format!("{count} of {n} in {dtype}");
            let there = complex_to_complex(&z, n, Direction::Forward, 1.0)?;
            // Single places of the sums that define it.
            let places = [0, 1, n / 2, n - 1];
            let found = there.to_vec::<Complex<f64>>();
            let bound = if dtype == DType::C64 { 3e-6 } else { 1e-13 } * (n as f64).sqrt();
            for k in places {
                let row = &all[(count - 1) * n..];
                let term = |j: usize| {
                    let (sin, cos) = (-TAU * (j * k % n) as f64 / n as f64).sin_cos();
                    row[j] * Complex::new(cos, sin)
                };
                let sum: Complex<f64> = (0..n).map(term).sum();
                let difference = (found[(count - 1) * n + k] - sum).norm();
                assert!(difference < bound, "{what}: {difference} at {k}");
            }
            let back = complex_to_complex(&there, n, Direction::Inverse, 1.0 / n as f64)?;
            let real = z.to_vec::<Complex<f64>>();
            near(&back, &real, &what);
        }
    }
    Ok(())
}

#[test]
fn columns_are_rows_that_were_turned() {
    with_each(columns_of_matrices, |found| found.unwrap());
}

fn columns_of_matrices() -> Result<()> {
    for (sizes, dim) in [
        ([3, 12, 5], 1),
        ([2, 30, 33], 1),
        ([16, 4, 9], 0),
        ([1, 37, 17], 1),
        ([2, 5, 1], 1),
    ] {
        for (dtype, n) in [
            (DType::C64, sizes[dim]),
            (DType::C128, sizes[dim] + 3),
            (DType::C64, 4),
        ] {
            let all = values(sizes.iter().product());
            let z = Tensor::from_vec(all, &sizes)?.to_dtype(dtype);
            for direction in [Direction::Forward, Direction::Inverse] {
                let across = complex_across(&z, dim, n, direction, 0.5)?;
                let turned = z.transpose(dim as i64, -1)?;
                let rows = complex_to_complex(&turned, n, direction, 0.5)?;
                let rows = rows.transpose(dim as i64, -1)?.contiguous();
                let what = format!("{sizes:?} along {dim}, {n}");
                near(&across, &rows.to_vec::<Complex<f64>>(), &what);
            }
        }
    }
    Ok(())
}
