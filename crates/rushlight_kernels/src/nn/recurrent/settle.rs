//! What becomes of the sums of a recurrent step: the new states, and what gradients need of it.

#![cfg_attr(
    target_arch = "aarch64",
    allow(dead_code, reason = "every processor of this kind has vectors")
)]

use super::cell::Recurrence;
use super::gates::{GateStep, WIDEST, width};
use crate::pointwise::math::vector::{sigmoid, tanh};
use rushlight_tensor::lanes::{Fused, Separate};
use rushlight_tensor::watch;
use std::ops::Range;

/// Numbers that are kept for every unit of an LSTM in every row: the four gates, the new cell state and its hyperbolic tangent.
/// A block has the first of all rows, then the second, and so on.
pub const KEPT: usize = 6;

/// Blocks that a step writes.
pub(super) struct Written<'a> {
    pub(super) new: &'a mut [f32],
    pub(super) cell: &'a mut [f32],
    pub(super) kept: &'a mut [f32],
}

impl Written<'_> {
    /// One block of `size` numbers of each.
    #[inline(always)]
    pub(super) fn block(&mut self, i: usize, size: usize) -> Written<'_> {
        #[inline(always)]
        fn part(all: &mut [f32], i: usize, size: usize) -> &mut [f32] {
            match all.is_empty() {
                true => all,
                false => &mut all[i * size..][..size],
            }
        }
        Written {
            new: part(self.new, i, size),
            cell: part(self.cell, i, size),
            kept: part(self.kept, i, KEPT * size),
        }
    }
}

/// Puts `W` numbers through a function: short loops over arrays of known length, which become vectors wherever they stand.
#[inline(always)]
fn each<const W: usize>(numbers: &mut [f32; WIDEST], f: impl Fn(f32) -> f32) {
    for number in &mut numbers[..W] {
        *number = f(*number);
    }
}

/// The new states of the units of a block in one row, by the sums of their `G` gates. Blocks have `W` units.
#[inline(always)]
pub(super) fn settle<const G: usize, const W: usize>(
    step: &GateStep<'_>,
    block: usize,
    row: usize,
    sums: &mut [[f32; WIDEST]; G],
    to: &mut Written<'_>,
) {
    let place = row * W;
    let new = &mut to.new[place..place + W];
    // What does not belong to this number of gates is not compiled.
    match G {
        4 => {
            let cell = &mut to.cell[place..place + W];
            for gate in [0, 1, 3] {
                each::<W>(&mut sums[gate], sigmoid::<Fused>);
            }
            each::<W>(&mut sums[2], tanh::<Fused>);
            let mut turned = [0f32; WIDEST];
            turned[..W].copy_from_slice(cell);
            for l in 0..W {
                turned[l] = sums[1][l] * turned[l] + sums[0][l] * sums[2][l];
            }
            cell.copy_from_slice(&turned[..W]);
            each::<W>(&mut turned, tanh::<Fused>);
            for l in 0..W {
                new[l] = sums[3][l] * turned[l];
            }
            if !to.kept.is_empty() {
                let size = step.batch * W;
                for (i, gate) in sums.iter().enumerate() {
                    to.kept[i * size + place..][..W].copy_from_slice(&gate[..W]);
                }
                to.kept[4 * size + place..][..W].copy_from_slice(cell);
                to.kept[5 * size + place..][..W].copy_from_slice(&turned[..W]);
            }
        }
        3 => {
            let hidden = step.weight.hidden;
            let first = block * W;
            let count = W.min(hidden - first);
            let mut own = [0f32; WIDEST];
            let at = (row * G + 2) * hidden + first;
            own[..count].copy_from_slice(&step.own[at..at + count]);
            let before = &step.state[block * step.batch * W + place..][..W];
            each::<W>(&mut sums[0], sigmoid::<Fused>);
            each::<W>(&mut sums[1], sigmoid::<Fused>);
            for l in 0..W {
                own[l] += sums[0][l] * sums[2][l];
            }
            each::<W>(&mut own, tanh::<Fused>);
            for l in 0..W {
                new[l] = own[l] + sums[1][l] * (before[l] - own[l]);
            }
        }
        _ if step.kind == Recurrence::Relu => {
            for l in 0..W {
                let v = sums[0][l];
                new[l] = if v < 0.0 { 0.0 } else { v };
            }
        }
        _ => {
            each::<W>(&mut sums[0], tanh::<Fused>);
            new.copy_from_slice(&sums[0][..W]);
        }
    }
}

/// The new states of some blocks of an LSTM on processors without the vectors, where nothing else is packed.
pub(super) fn plain(step: GateStep<'_>, blocks: Range<usize>, mut to: Written<'_>) {
    const GATES: usize = 4;
    let (width, w) = (width(), step.weight);
    assert_eq!(w.gates, GATES);
    let size = step.batch * width;
    for (i, block) in blocks.enumerate() {
        watch::poll();
        let to = to.block(i, size);
        let first = block * width;
        let count = width.min(w.hidden - first);
        for row in 0..step.rows {
            // The gates of all units side by side, as in the panel.
            let mut sums = [0f32; GATES * WIDEST];
            let sums = &mut sums[..GATES * width];
            for (g, sums) in sums.chunks_exact_mut(width).enumerate() {
                let at = (row * GATES + g) * w.hidden + first;
                sums[..count].copy_from_slice(&step.own[at..at + count]);
            }
            for (k, weights) in w.panel(block).chunks_exact(GATES * width).enumerate() {
                let x = step.state[(k / width * step.batch + row) * width + k % width];
                for (sum, w) in sums.iter_mut().zip(weights) {
                    *sum += x * w;
                }
            }
            for l in 0..width {
                let at = row * width + l;
                let gates = [0, 1, 2, 3].map(|g| sums[g * width + l]);
                let kept = unit(gates, to.cell[at]);
                (to.cell[at], to.new[at]) = (kept[4], kept[3] * kept[5]);
                if !to.kept.is_empty() {
                    for (i, number) in kept.into_iter().enumerate() {
                        to.kept[i * size + at] = number;
                    }
                }
            }
        }
    }
}

/// What is kept of one unit of an LSTM: see [`KEPT`]. It takes the sums of the gates, and the cell state before.
#[inline(never)]
fn unit([i, f, g, o]: [f32; 4], cell: f32) -> [f32; KEPT] {
    let [i, f, o] = [i, f, o].map(sigmoid::<Separate>);
    let g = tanh::<Separate>(g);
    let cell = f * cell + i * g;
    [i, f, g, o, cell, tanh::<Separate>(cell)]
}

#[cfg(test)]
mod tests {
    use super::super::cell::Recurrence;
    use super::super::gates::{GateStep, Gates, to_blocks, width};
    use super::{KEPT, Written, plain};
    use crate::linalg::gemm::Matrix;
    use crate::testing::small_numbers as numbers;
    use rushlight_tensor::lanes::{Isa, isa};

    #[test]
    fn the_plain_step_is_that_of_vectors() {
        if isa() == Isa::Baseline {
            return;
        }
        let kind = Recurrence::Lstm;
        let (rows, hidden, gates) = (3, 21, kind.gates());
        let weight = numbers(gates * hidden * hidden, 5);
        let packed = Gates::new(Matrix::dense(&weight, gates * hidden, hidden), gates);
        let own = numbers(rows * gates * hidden, 3);
        let state = to_blocks(&numbers(rows * hidden, 11), hidden);
        let step = GateStep {
            kind,
            weight: &packed,
            own: &own,
            bias: None,
            state: &state,
            rows,
            batch: rows,
        };
        let run = |plainly: bool| {
            let count = state.len();
            let (mut new, mut cell) = (vec![0f32; count], vec![0.25f32; count]);
            let mut kept = vec![0f32; KEPT * count];
            match plainly {
                false => step.run(&mut new, &mut cell, &mut kept),
                true => {
                    let to = Written {
                        new: &mut new,
                        cell: &mut cell,
                        kept: &mut kept,
                    };
                    plain(step, 0..hidden.div_ceil(width()), to);
                }
            }
            [new, cell, kept].concat()
        };
        for (got, want) in run(true).iter().zip(run(false)) {
            assert!((got - want).abs() < 1e-5, "{got} for {want}");
        }
    }
}
