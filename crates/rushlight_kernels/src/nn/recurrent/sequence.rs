//! One recurrent layer in one direction over a whole sequence, in f32 with packed weights.

use super::cell::Recurrence;
use super::gates::{GateStep, Gates, read_row, to_blocks, write_blocks};
use crate::linalg::gemm::{Matrix, product};
use rushlight_tensor::{Buffer, memory, watch};

/// A layer in one direction.
pub struct Sequence<'a> {
    /// Of which kind the layer is.
    pub kind: Recurrence,
    /// The weight of the hidden state.
    pub weight: &'a Gates,
    /// The bias of a GRU's new state, inside the reset.
    pub bias: Option<&'a [f32]>,
    /// What the hidden state is multiplied with before it goes round.
    pub projection: Option<Matrix<'a, f32>>,
    /// Rows of each step, none more than before.
    pub counts: &'a [usize],
    /// Numbers of the state that goes round.
    pub state: usize,
    /// Whether the last step comes first.
    pub backward: bool,
}

/// Where results go: elements from row to row, and where a row's part starts.
#[derive(Clone, Copy)]
pub struct RowTarget {
    /// Elements from row to row.
    pub stride: usize,
    /// Where the part starts in a row.
    pub offset: usize,
}

impl Sequence<'_> {
    /// Runs over all steps. `own` are the gates' parts from the input, a row for each row of each step; `h` and `c` are
    /// replaced by the last states of each row of the batch. `kept` takes what gradients need of every step, or is empty.
    pub fn run(
        &self,
        own: &[f32],
        h: &mut [f32],
        c: &mut [f32],
        out: &mut [f32],
        to: RowTarget,
        kept: &mut [f32],
    ) {
        let (state, hidden) = (self.state, self.weight.hidden());
        let width = self.kind.gates() * hidden;
        let batch = self.counts.first().copied().unwrap_or(0);
        let steps = self.counts.len();
        let mut starts = memory::with_capacity(steps);
        let mut total = 0;
        for count in self.counts {
            starts.push(total);
            total += count;
        }
        let mut now = to_blocks(h, state);
        let mut cell = to_blocks(c, hidden);
        // Rows that have not begun keep their state in both.
        let mut next = match self.projection {
            None => Buffer::copy_of(&now),
            Some(_) => to_blocks(&memory::filled(memory::times([batch, hidden]), 0.0), hidden),
        };
        let (mut wide, mut narrow) = match self.projection {
            None => (Buffer::unspecified(0), Buffer::unspecified(0)),
            Some(_) => (
                Buffer::unspecified(memory::times([batch, hidden])),
                Buffer::unspecified(memory::times([batch, state])),
            ),
        };
        for i in 0..steps {
            watch::poll();
            let step = if self.backward { steps - 1 - i } else { i };
            let (first, rows) = (starts[step], self.counts[step]);
            let job = GateStep {
                kind: self.kind,
                weight: self.weight,
                own: &own[first * width..(first + rows) * width],
                bias: self.bias,
                state: &now,
                rows,
                batch,
            };
            let kept_step = kept.len() / steps;
            let kept = &mut kept[step * kept_step..][..kept_step];
            job.run(&mut next, &mut cell, kept);
            let places = (first..first + rows).map(|row| row * to.stride + to.offset);
            match self.projection {
                None => {
                    for (row, at) in places.enumerate() {
                        watch::poll();
                        read_row(&next, batch, row, &mut out[at..at + state]);
                    }
                    std::mem::swap(&mut now, &mut next);
                }
                Some(weight) => {
                    for (row, wide) in wide.chunks_exact_mut(hidden).take(rows).enumerate() {
                        watch::poll();
                        read_row(&next, batch, row, wide);
                    }
                    let left = Matrix::dense(&wide[..rows * hidden], rows, hidden);
                    product(left, weight.transposed(), &mut narrow, state, false);
                    for (row, at) in narrow.chunks_exact(state.max(1)).zip(places) {
                        out[at..at + state].copy_from_slice(row);
                    }
                    write_blocks(&narrow[..rows * state], state, batch, &mut now);
                }
            }
        }
        for (row, h) in h.chunks_exact_mut(state.max(1)).enumerate() {
            watch::poll();
            let last = match self.backward {
                true => 0,
                false => self.counts.partition_point(|count| *count > row) - 1,
            };
            let at = (starts[last] + row) * to.stride + to.offset;
            h.copy_from_slice(&out[at..at + state]);
        }
        if !c.is_empty() {
            for (row, c) in c.chunks_exact_mut(hidden).enumerate() {
                watch::poll();
                read_row(&cell, batch, row, c);
            }
        }
    }
}
