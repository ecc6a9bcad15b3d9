//! The way back through an LSTM layer in f32.

use super::gates::width;
use super::settle::KEPT;
use crate::linalg::gemm::{Matrix, product};
use crate::linalg::packed::Packed;
use crate::linalg::tiles::{self, Right, Start};
use rushlight_tensor::watch;

/// Units that are worked on together.
const LANES: usize = 8;

/// A layer in one direction that has run over steps of `batch` rows each.
pub struct LstmBackward<'a> {
    /// What the layer kept: see [`KEPT`].
    pub kept: &'a [f32],
    /// The cell state before the first step, in blocks.
    pub start: &'a [f32],
    /// The weight of the hidden state, turned: a row for each of its numbers, which is dense.
    pub turned: Matrix<'a, f32>,
    pub batch: usize,
    pub hidden: usize,
    /// Whether the last step came first.
    pub backward: bool,
}

impl LstmBackward<'_> {
    /// The gradients of the sums of all gates into `gates`, a row for each row of each step, by those of the output. `h` and
    /// `c` have the gradients of the last states, which are replaced by those of the first.
    pub fn run(&self, output: &[f32], h: &mut [f32], c: &mut [f32], gates: &mut [f32]) {
        let state = self.batch * self.hidden;
        let steps = output.len() / state.max(1);
        let (size, kept) = (self.batch * width(), self.kept.len() / steps.max(1));
        let right = self.turned.transposed();
        let one = Matrix::dense(&gates[..4 * state], self.batch, 4 * self.hidden);
        let packed = tiles::suits(&one, &right).then(|| Packed::new(self.turned));
        for i in (0..steps).rev() {
            watch::poll();
            let step = if self.backward { steps - 1 - i } else { i };
            let before = match (i, self.backward) {
                (0, _) => Before(self.start, size),
                (_, false) => Before(&self.kept[(step - 1) * kept + 4 * size..], KEPT * size),
                (_, true) => Before(&self.kept[(step + 1) * kept + 4 * size..], KEPT * size),
            };
            for (h, out) in h.iter_mut().zip(&output[step * state..]) {
                *h += out;
            }
            let gates = &mut gates[4 * step * state..][..4 * state];
            step_back(self, &self.kept[step * kept..][..kept], before, h, c, gates);
            let left = Matrix::dense(gates, self.batch, 4 * self.hidden);
            match &packed {
                Some(packed) => {
                    tiles::run(left, Right::Packed(packed), Start::Zero, h, self.hidden);
                }
                None => product(left, right, h, self.hidden, false),
            }
        }
    }
}

/// The cell states before a step, in blocks that lie so far apart.
#[derive(Clone, Copy)]
struct Before<'a>(&'a [f32], usize);

/// The gradients of a step's gates, and of the cell state before it in place of that after it.
fn step_back(
    job: &LstmBackward<'_>,
    kept: &[f32],
    before: Before<'_>,
    h: &[f32],
    c: &mut [f32],
    gates: &mut [f32],
) {
    let (width, hidden) = (width(), job.hidden);
    let size = job.batch * width;
    for row in 0..job.batch {
        watch::poll();
        let gates = &mut gates[4 * row * hidden..][..4 * hidden];
        for first in (0..hidden).step_by(LANES) {
            let (block, lane) = (first / width, row * width + first % width);
            let part = |i: usize| -> &[f32] { &kept[(block * KEPT + i) * size + lane..][..LANES] };
            let (input, forget, change, output, turned) =
                (part(0), part(1), part(2), part(3), part(5));
            let before = &before.0[block * before.1 + lane..][..LANES];
            let count = LANES.min(hidden - first);
            let at = row * hidden + first;
            let (mut dh, mut dc) = ([0f32; LANES], [0f32; LANES]);
            dh[..count].copy_from_slice(&h[at..at + count]);
            dc[..count].copy_from_slice(&c[at..at + count]);
            let mut slopes = [[0f32; LANES]; 4];
            for l in 0..LANES {
                let (i, f, g, o) = (input[l], forget[l], change[l], output[l]);
                let t = turned[l];
                let d = dc[l] + dh[l] * o * (1.0 - t * t);
                slopes[0][l] = d * g * (i * (1.0 - i));
                slopes[1][l] = d * before[l] * (f * (1.0 - f));
                slopes[2][l] = d * i * (1.0 - g * g);
                slopes[3][l] = dh[l] * t * (o * (1.0 - o));
                dc[l] = d * f;
            }
            c[at..at + count].copy_from_slice(&dc[..count]);
            for (gate, slopes) in slopes.iter().enumerate() {
                gates[gate * hidden + first..][..count].copy_from_slice(&slopes[..count]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::Recurrence;
    use super::super::gates::{Gates, to_blocks, width};
    use super::super::sequence::{RowTarget, Sequence};
    use super::{KEPT, LstmBackward};
    use crate::linalg::gemm::Matrix;
    use crate::testing::small_numbers as numbers;

    const STEPS: usize = 3;
    const BATCH: usize = 2;
    const HIDDEN: usize = 11;
    const STATE: usize = BATCH * HIDDEN;

    /// The sum of all outputs and last states, and what was kept.
    fn forward(own: &[f32], weight: &[f32], backward: bool) -> (f64, Vec<f32>) {
        let packed = Gates::new(Matrix::dense(weight, 4 * HIDDEN, HIDDEN), 4);
        let (mut h, mut c) = (numbers(STATE, 3), numbers(STATE, 5));
        let mut out = vec![0.0; STEPS * STATE];
        let mut kept = vec![0.0; STEPS * KEPT * HIDDEN.div_ceil(width()) * BATCH * width()];
        let to = RowTarget {
            stride: HIDDEN,
            offset: 0,
        };
        Sequence {
            kind: Recurrence::Lstm,
            weight: &packed,
            bias: None,
            projection: None,
            counts: &[BATCH; STEPS],
            state: HIDDEN,
            backward,
        }
        .run(own, &mut h, &mut c, &mut out, to, &mut kept);
        let sum = [&out, &h, &c].into_iter().flatten();
        (sum.map(|v| f64::from(*v)).sum(), kept)
    }

    #[test]
    fn gradients_of_gates_are_slopes() {
        let weight = numbers(4 * HIDDEN * HIDDEN, 7);
        let mut own = numbers(STEPS * BATCH * 4 * HIDDEN, 11);
        let turned: Vec<f32> = (0..HIDDEN * 4 * HIDDEN)
            .map(|i| weight[i % (4 * HIDDEN) * HIDDEN + i / (4 * HIDDEN)])
            .collect();
        for backward in [false, true] {
            let (_, kept) = forward(&own, &weight, backward);
            let (mut h, mut c) = (vec![1.0; STATE], vec![1.0; STATE]);
            let mut gates = vec![0.0; own.len()];
            LstmBackward {
                kept: &kept,
                start: &to_blocks(&numbers(STATE, 5), HIDDEN),
                turned: Matrix::dense(&turned, HIDDEN, 4 * HIDDEN),
                batch: BATCH,
                hidden: HIDDEN,
                backward,
            }
            .run(&[1.0; STEPS * STATE], &mut h, &mut c, &mut gates);
            for i in (0..own.len()).step_by(5) {
                let (before, step) = (own[i], 1e-2);
                own[i] = before + step;
                let (above, _) = forward(&own, &weight, backward);
                own[i] = before - step;
                let (below, _) = forward(&own, &weight, backward);
                own[i] = before;
                let slope = (above - below) / f64::from(2.0 * step);
                let found = f64::from(gates[i]);
                assert!((slope - found).abs() < 2e-3, "{i}: {found} for {slope}");
            }
        }
    }
}
