//! Differences on a grid.

use super::dims::Lanes;
use rushlight_tensor::{Buffer, Complex64, Element, Result, Tensor, threads, watch};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Where the samples along a dimension lie.
pub enum Grid {
    Even(Complex64),
    At(Vec<Complex64>),
}

impl Grid {
    /// The distance from sample `k` to the next.
    fn step<T: Field>(&self, k: usize) -> T {
        T::from_complex(match self {
            Grid::Even(step) => *step,
            Grid::At(points) => points[k + 1] - points[k],
        })
    }
}

/// Elements that differences are divided of.
pub trait Field:
    Element
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
}
impl Field for f32 {}
impl Field for f64 {}
impl Field for Complex64 {}

/// The gradient along one dimension.
pub fn along<T: Field>(t: &Tensor, dim: usize, grid: &Grid, edge_order: i64) -> Result<Tensor> {
    let Lanes { n, inner, .. } = Lanes::of(t.sizes(), dim);
    let data = t.data::<T>();
    let mut out = Buffer::<T>::unspecified(data.len());
    let size = (n * inner).max(1);
    threads::split_rows(&mut out, size, 1, 2 * size, &|slabs, out| {
        let from = data[slabs.start * size..].chunks_exact(size);
        for (x, out) in from.zip(out.chunks_exact_mut(size)) {
            watch::poll();
            inside(x, (n, inner), grid, out);
            for lane in 0..inner {
                let at = |k: usize| x[lane + k * inner];
                for k in [0, n - 1] {
                    out[lane + k * inner] = edge(&at, k, n, grid, edge_order);
                }
            }
        }
    });
    Ok(out.into_tensor(t.sizes()))
}

/// All but the edges of a slab of `n` rows.
fn inside<T: Field>(x: &[T], (n, inner): (usize, usize), grid: &Grid, out: &mut [T]) {
    let between = inner..(n - 1).max(1) * inner;
    if let Grid::Even(_) = grid {
        let step = grid.step::<T>(0);
        let both = step + step;
        let pairs = x.iter().zip(&x[(2 * inner).min(x.len())..]);
        for (out, (before, after)) in out[between].iter_mut().zip(pairs) {
            *out = (*after - *before) / both;
        }
        return;
    }
    for (k, out) in (1..).zip(out[between].chunks_exact_mut(inner)) {
        let (before, after) = (grid.step::<T>(k - 1), grid.step::<T>(k));
        let both = before + after;
        let weights = [
            -after / (before * both),
            (after - before) / (before * after),
            before / (after * both),
        ];
        let row = |k: usize| &x[k * inner..][..inner];
        let rows = row(k - 1).iter().zip(row(k)).zip(row(k + 1));
        for (out, ((a, b), c)) in out.iter_mut().zip(rows) {
            *out = *a * weights[0] + *b * weights[1] + *c * weights[2];
        }
    }
}

fn edge<T: Field>(at: &impl Fn(usize) -> T, k: usize, n: usize, grid: &Grid, edge_order: i64) -> T {
    // The nearest neighbour, the one after it, and the steps to them, in the direction away from the edge.
    let first = k == 0;
    let near = if first {
        grid.step::<T>(0)
    } else {
        -grid.step::<T>(n - 2)
    };
    let neighbour = if first { at(1) } else { at(n - 2) };
    if edge_order == 1 {
        return (neighbour - at(k)) / near;
    }
    let far = if first {
        grid.step::<T>(1)
    } else {
        -grid.step::<T>(n - 3)
    };
    let second = if first { at(2) } else { at(n - 3) };
    let both = near + far;
    at(k) * (-(near + near + far) / (near * both)) + neighbour * (both / (near * far))
        - second * (near / (far * both))
}
