//! Differences on a grid.

use super::dims::Lanes;
use rushlight_tensor::memory;
use rushlight_tensor::{Complex64, Result, Tensor, watch};

/// Where the samples along a dimension lie.
pub enum Grid {
    Even(Complex64),
    At(Vec<Complex64>),
}

impl Grid {
    /// The distance from sample `k` to the next.
    fn step(&self, k: usize) -> Complex64 {
        match self {
            Grid::Even(step) => *step,
            Grid::At(points) => points[k + 1] - points[k],
        }
    }
}

/// The gradient along one dimension of a complex tensor.
pub fn along(t: &Tensor, dim: usize, grid: &Grid, edge_order: i64) -> Result<Tensor> {
    let lanes = Lanes::of(t.sizes(), dim);
    let data = t.data::<Complex64>();
    let mut out = memory::filled(data.len(), Complex64::default());
    for lane in 0..lanes.count() {
        watch::poll();
        let start = lanes.start(lane);
        let at = |k: usize| data[start + k * lanes.inner];
        for k in 0..lanes.n {
            out[start + k * lanes.inner] = if k == 0 || k + 1 == lanes.n {
                edge(&at, k, lanes.n, grid, edge_order)
            } else {
                inside(&at, k, grid)
            };
        }
    }
    Tensor::from_vec(out, t.sizes())
}

fn inside(at: &impl Fn(usize) -> Complex64, k: usize, grid: &Grid) -> Complex64 {
    let (before, after) = (grid.step(k - 1), grid.step(k));
    if let Grid::Even(step) = grid {
        return (at(k + 1) - at(k - 1)) / (step * 2.0);
    }
    let both = before + after;
    at(k - 1) * (-after / (before * both))
        + at(k) * ((after - before) / (before * after))
        + at(k + 1) * (before / (after * both))
}

fn edge(
    at: &impl Fn(usize) -> Complex64,
    k: usize,
    n: usize,
    grid: &Grid,
    edge_order: i64,
) -> Complex64 {
    // The nearest neighbour, the one after it, and the steps to them, in the direction away from the edge.
    let first = k == 0;
    let near = if first {
        grid.step(0)
    } else {
        -grid.step(n - 2)
    };
    let neighbour = if first { at(1) } else { at(n - 2) };
    if edge_order == 1 {
        return (neighbour - at(k)) / near;
    }
    let far = if first {
        grid.step(1)
    } else {
        -grid.step(n - 3)
    };
    let second = if first { at(2) } else { at(n - 3) };
    let both = near + far;
    at(k) * (-(near * 2.0 + far) / (near * both)) + neighbour * (both / (near * far))
        - second * (near / (far * both))
}
