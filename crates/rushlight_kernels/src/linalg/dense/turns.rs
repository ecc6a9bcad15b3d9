//! Rotations of the rows of a matrix, many of them one after the other.

use crate::isa::{fma, multiversion};
use rushlight_tensor::{memory, threads};

/// The columns of a panel: they stay in registers from row to row.
const COLUMNS: usize = 32;

/// Of small matrices.
const FEW: usize = 8;

/// A square matrix in panels of neighbouring columns, so that a row of a panel follows the one before it in memory.
pub struct Turned {
    n: usize,
    width: usize,
    data: Vec<f64>,
}

impl Turned {
    /// Ones on the diagonal.
    pub fn new(n: usize) -> Turned {
        let width = if n <= FEW { FEW } else { COLUMNS };
        let panels = n.div_ceil(width);
        let mut out = Turned {
            n,
            width,
            data: memory::filled(memory::times([panels, n, width]), 0.0),
        };
        for k in 0..n {
            let at = out.place(k, k);
            out.data[at] = 1.0;
        }
        out
    }

    fn place(&self, row: usize, column: usize) -> usize {
        (column / self.width * self.n + row) * self.width + column % self.width
    }

    /// An element.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.data[self.place(row, column)]
    }

    /// Turns neighbouring rows against each other, in the order of the rotations, each `(c, s)`: the upper row becomes
    /// `c upper + s lower`, the lower one `c lower - s upper`. Rotation `k` turns rows `first + k` and the next; from the
    /// last to the first where `backward`.
    pub fn turn(&mut self, first: usize, rotations: &[(f64, f64)], backward: bool) {
        if rotations.is_empty() {
            return;
        }
        let (size, width) = (self.n * self.width, self.width);
        let rows = first * width..(first + rotations.len() + 1) * width;
        let cost = 4 * rotations.len() * width;
        threads::split_rows(&mut self.data, size, 1, cost, &|_, panels| {
            for panel in panels.chunks_exact_mut(size) {
                let panel = &mut panel[rows.clone()];
                if width == FEW {
                    turn_few(panel, rotations, backward);
                } else {
                    turn_columns(panel, rotations, backward);
                }
            }
        });
    }
}

multiversion! { fn turn_few(panel: &mut [f64], rotations: &[(f64, f64)], backward: bool) = turn_few_rows }
multiversion! { fn turn_columns(panel: &mut [f64], rotations: &[(f64, f64)], backward: bool) = turn_columns_rows }

#[inline(always)]
fn turn_few_rows<const FUSED: bool>(panel: &mut [f64], rotations: &[(f64, f64)], backward: bool) {
    turn_rows::<FUSED, FEW>(panel, rotations, backward);
}

#[inline(always)]
fn turn_columns_rows<const FUSED: bool>(
    panel: &mut [f64],
    rotations: &[(f64, f64)],
    backward: bool,
) {
    turn_rows::<FUSED, COLUMNS>(panel, rotations, backward);
}

#[inline(always)]
fn turn_rows<const FUSED: bool, const N: usize>(
    panel: &mut [f64],
    rotations: &[(f64, f64)],
    backward: bool,
) {
    let (rows, _) = panel.as_chunks_mut::<N>();
    let count = rotations.len();
    let mut held = rows[if backward { count } else { 0 }];
    for step in 0..count {
        let k = if backward { count - 1 - step } else { step };
        let (c, s) = rotations[k];
        let (done, next) = if backward { (k + 1, k) } else { (k, k + 1) };
        let other = rows[next];
        // The held row is the lower one when going backward.
        let s = if backward { -s } else { s };
        let out = &mut rows[done];
        for l in 0..N {
            out[l] = fma::<f64, FUSED>(c, held[l], s * other[l]);
            held[l] = fma::<f64, FUSED>(c, other[l], -(s * held[l]));
        }
    }
    rows[if backward { 0 } else { count }] = held;
}
