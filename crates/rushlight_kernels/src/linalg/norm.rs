//! Norms of rows.

use crate::compute::{
    Compute, Wide, dense, halved, lane_total, sum_in_lanes, sum_of_pairs_in_lanes, total,
};
use rushlight_tensor::lanes::{Vectorised, vectorised};
use rushlight_tensor::{Buffer, Complex32, Complex64, DType, Tensor, threads, watch};

/// Numbers with the absolute values of a tensor's, in the real compute type.
pub fn sizes<W: Compute>(t: &Tensor) -> Tensor {
    match t.dtype() {
        DType::C64 => {
            Buffer::<W>::from_iter(t.data::<Complex32>().iter().map(|c| W::of(c.norm() as f64)))
                .into_tensor(t.sizes())
        }
        DType::C128 => {
            Buffer::<W>::from_iter(t.data::<Complex64>().iter().map(|c| W::of(c.norm())))
                .into_tensor(t.sizes())
        }
        _ => dense::<W>(t),
    }
}

/// The p-norm.
#[inline(always)]
pub fn row_norm<W: Compute>(row: &[W], p: f64) -> W {
    if p == f64::INFINITY {
        row.iter().fold(W::ZERO, |m, v| m.max_nan(Wide::abs(*v)))
    } else if p == f64::NEG_INFINITY {
        row.iter()
            .fold(W::INFINITY, |m, v| m.min_nan(Wide::abs(*v)))
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

/// The sum of `|x|^p`.
#[inline(always)]
pub fn row_power_sum<W: Compute>(row: &[W], p: f64) -> f64 {
    if p == 0.0 {
        row.iter().filter(|v| **v != W::ZERO).count() as f64
    } else if p == 1.0 {
        sum_in_lanes(row, |v| v.f64().abs())
    } else if p == 2.0 {
        sum_in_lanes(row, |v| v.f64() * v.f64())
    } else {
        total(row.iter().map(|v| v.f64().abs().powf(p)))
    }
}

/// Rows, and what becomes of each.
struct Rows<'a, W> {
    x: &'a [W],
    length: usize,
    p: f64,
    /// Whether norms are wanted, or sums of powers.
    norms: bool,
    out: &'a mut [W],
}

impl<W: Compute> Vectorised for Rows<'_, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Rows {
            x,
            length,
            p,
            norms,
            out,
        } = self;
        for (i, out) in out.iter_mut().enumerate() {
            watch::poll();
            let row = &x[i * length..][..length];
            *out = match norms {
                true => row_norm(row, p),
                false => W::of(row_power_sum(row, p)),
            };
        }
    }
}

/// The p-norms of rows, or the sums of their powers.
pub fn of_rows<W: Compute>(x: &[W], rows: usize, length: usize, p: f64, norms: bool) -> Buffer<W> {
    let mut out = Buffer::<W>::unspecified(rows);
    threads::split_rows(&mut out, 1, 1, length, &|part, out| {
        vectorised(Rows {
            x: &x[part.start * length..part.end * length],
            length,
            p,
            norms,
            out,
        });
    });
    out
}

/// The sum of the squared differences of two rows: in their type, block by block, whose sums are added in f64.
#[inline(always)]
fn sum_of_squared_gaps<W: Compute>(x: &[W], y: &[W]) -> f64 {
    const LANES: usize = 32;
    let (x, rest_x) = x.as_chunks::<LANES>();
    let (y, rest_y) = y.as_chunks::<LANES>();
    let mut sum = total(rest_x.iter().zip(rest_y).map(|(a, b)| {
        let gap = (*a - *b).f64();
        gap * gap
    }));
    for (x, y) in x.chunks(16).zip(y.chunks(16)) {
        let mut lanes = [W::ZERO; LANES];
        for (x, y) in x.iter().zip(y) {
            for ((lane, a), b) in lanes.iter_mut().zip(x).zip(y) {
                let gap = *a - *b;
                *lane += gap * gap;
            }
        }
        let few: [W; 16] = halved(&lanes);
        let wide: [f64; 16] = std::array::from_fn(|i| few[i].f64());
        sum += lane_total(&wide);
    }
    sum
}

/// The p-norm of the difference of two rows.
#[inline(always)]
pub fn row_distance<W: Compute>(x: &[W], y: &[W], p: f64) -> W {
    let gap = |a: W, b: W| Wide::abs(a - b);
    let gaps = x.iter().zip(y).map(|(a, b)| gap(*a, *b));
    if p == 0.0 {
        W::of(gaps.filter(|g| *g != W::ZERO).count() as f64)
    } else if p == 1.0 {
        W::of(sum_of_pairs_in_lanes(x, y, |a, b| gap(a, b).f64()))
    } else if p == 2.0 {
        let square = |a: W, b: W| gap(a, b).f64() * gap(a, b).f64();
        W::of(
            match W::DTYPE {
                DType::F32 => sum_of_squared_gaps(x, y),
                _ => sum_of_pairs_in_lanes(x, y, square),
            }
            .sqrt(),
        )
    } else if p == f64::INFINITY {
        gaps.fold(W::ZERO, |m, g| m.max_nan(g))
    } else {
        W::of(total(gaps.map(|g| g.f64().powf(p))).powf(1.0 / p))
    }
}

/// A row, and the rows that its distances to are wanted.
struct Distances<'a, W> {
    row: &'a [W],
    others: &'a [W],
    p: f64,
    out: &'a mut [W],
}

impl<W: Compute> Vectorised for Distances<'_, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let length = self.row.len();
        for (i, out) in self.out.iter_mut().enumerate() {
            watch::poll();
            let other = &self.others[i * length..][..length];
            *out = row_distance(self.row, other, self.p);
        }
    }
}

/// The distances of a row to other rows.
pub fn distances<W: Compute>(row: &[W], others: &[W], p: f64, out: &mut [W]) {
    vectorised(Distances {
        row,
        others,
        p,
        out,
    });
}
