//! Norms of rows.

use crate::compute::{Compute, Wide, dense};
use rushlight_tensor::{Buffer, Complex32, Complex64, DType, Tensor};

/// The absolute values in the real compute type.
pub fn magnitudes<W: Compute>(t: &Tensor) -> Tensor {
    match t.dtype() {
        DType::C64 => {
            Buffer::<W>::from_iter(t.data::<Complex32>().iter().map(|c| W::of(c.norm() as f64)))
                .into_tensor(t.sizes())
        }
        DType::C128 => {
            Buffer::<W>::from_iter(t.data::<Complex64>().iter().map(|c| W::of(c.norm())))
                .into_tensor(t.sizes())
        }
        _ => {
            let x = dense::<W>(t);
            let out = Buffer::<W>::from_iter(x.data::<W>().iter().map(|v| Wide::abs(*v)));
            out.into_tensor(t.sizes())
        }
    }
}

/// The p-norm of magnitudes.
pub fn row_norm<W: Compute>(row: &[W], p: f64) -> W {
    if p == f64::INFINITY {
        row.iter().fold(W::ZERO, |m, v| m.max_nan(*v))
    } else if p == f64::NEG_INFINITY {
        row.iter().fold(W::INFINITY, |m, v| m.min_nan(*v))
    } else if p == 2.0 {
        W::of(row_power_sum(row, 2.0).sqrt())
    } else {
        let sum = row_power_sum(row, p);
        if p == 0.0 || p == 1.0 {
            W::of(sum)
        } else {
            W::of(sum.powf(1.0 / p))
        }
    }
}

/// A sum that is plus zero of nothing.
fn sum<W: Compute>(row: &[W], of: impl Fn(f64) -> f64) -> f64 {
    row.iter().fold(0.0, |sum, v| sum + of(v.f64()))
}

/// The sum of `|x|^p`.
pub fn row_power_sum<W: Compute>(row: &[W], p: f64) -> f64 {
    if p == 0.0 {
        row.iter().filter(|v| **v != W::ZERO).count() as f64
    } else if p == 1.0 {
        sum(row, |v| v)
    } else if p == 2.0 {
        sum(row, |v| v * v)
    } else {
        sum(row, |v| v.powf(p))
    }
}
