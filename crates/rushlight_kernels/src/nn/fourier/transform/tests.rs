//! Transforms of rows against the sums that define them.

use super::*;
use std::f64::consts::TAU;

/// The sums that define the transform of a row.
fn summed(row: &[Complex<f64>], n: usize, sign: f64) -> Vec<Complex<f64>> {
    let term = |j: usize, k: usize| {
        let (sin, cos) = (sign * TAU * (j * k % n) as f64 / n as f64).sin_cos();
        row.get(j).copied().unwrap_or_default() * Complex::new(cos, sin)
    };
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
fn rows_are_the_sums_that_define_them() -> Result<()> {
    for n in [
        1, 2, 3, 4, 8, 9, 10, 12, 14, 16, 25, 30, 48, 50, 60, 64, 100, 240, 256,
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
