//! Layers and steps in f32 on processors that have kernels for packed weights: see
//! [`rushlight_kernels::nn::recurrent::gates`].

use super::cell::{Parameters, Recurrence};
use super::layer::{CellTensors, Stack};
use rushlight_kernels::compute::dense;
use rushlight_kernels::linalg::product::matrix_at;
use rushlight_kernels::linalg::product::{affine, affine_kept};
use rushlight_kernels::nn::recurrent::gates::{GateStep, Gates, read_row, to_blocks};
use rushlight_kernels::nn::recurrent::sequence::{RowTarget, Sequence};
use rushlight_ops::dropout;
use rushlight_tensor::{Buffer, Result, Tensor, memory, watch};
use rushlight_types::Context;

/// The gates' parts from the input, and the bias that stays inside the reset of a GRU. `x` is a matrix.
pub(super) fn from_input(
    kind: Recurrence,
    hidden: usize,
    x: &Tensor,
    w: &Tensor,
    b_ih: Option<&Tensor>,
    b_hh: Option<&Tensor>,
) -> (Tensor, Option<Vec<f32>>) {
    let numbers = |b: Option<&Tensor>| b.map(|b| dense::<f32>(b).data::<f32>().to_vec());
    let (own, mut other) = (numbers(b_ih), numbers(b_hh));
    let inside = match (kind, &mut other) {
        (Recurrence::Gru, Some(other)) => Some(other.split_off(2 * hidden)),
        _ => None,
    };
    let bias = match (own, other) {
        (Some(mut own), Some(other)) => {
            own.iter_mut().zip(&other).for_each(|(a, b)| *a += b);
            Some(own)
        }
        (own, Some(mut other)) => {
            other.resize(w.size(0), 0.0);
            Some(own.unwrap_or(other))
        }
        (own, None) => own,
    };
    let bias = bias.map(|b| Buffer::copy_of(&b).into_tensor(&[w.size(0)]));
    let w = dense::<f32>(w);
    let sizes = [x.size(0), w.size(0)];
    let gates = affine_kept(x, &w, bias.as_ref(), &sizes)
        .unwrap_or_else(|| affine::<f32>(x, &w, bias.as_ref(), &sizes));
    (gates, inside)
}

/// Runs a stack over steps of `counts` rows as [`super::layer`] does; `None` where there is no kernel. `x` is a matrix, `h`
/// and `c` are replaced by the last states.
pub(super) fn run(
    stack: &Stack<'_>,
    x: Tensor,
    counts: &[usize],
    h: &mut [f32],
    c: &mut [f32],
    (batch, state): (usize, usize),
    cx: &Context,
) -> Result<Option<Tensor>> {
    let mut x = x;
    let total = x.size(0);
    for layer in 0..stack.layers {
        watch::poll();
        let width = state * stack.directions;
        let mut out = Buffer::<f32>::unspecified(memory::times([total, width]));
        for direction in 0..stack.directions {
            let index = layer * stack.directions + direction;
            let cell: CellTensors<'_> = stack.cell(index);
            let hidden = cell.check(stack.kind, x.size(1), state, total)?;
            let w_hh = dense::<f32>(cell.w_hh);
            let Some(weight) = Gates::of(&w_hh, stack.kind.gates()) else {
                return Ok(None);
            };
            let (own, bias) = from_input(stack.kind, hidden, &x, cell.w_ih, cell.b_ih, cell.b_hh);
            let projection = cell.w_hr.map(dense::<f32>);
            let numbers = projection.as_ref().map(|w| w.data::<f32>());
            let cells = match c.is_empty() {
                true => &mut [],
                false => &mut c[index * batch * hidden..(index + 1) * batch * hidden],
            };
            Sequence {
                kind: stack.kind,
                weight: &weight,
                bias: bias.as_deref(),
                projection: projection
                    .as_ref()
                    .zip(numbers.as_ref())
                    .map(|(w, numbers)| matrix_at(numbers, w.layout(), 0)),
                counts,
                state,
                backward: direction == 1,
            }
            .run(
                &own.data::<f32>(),
                &mut h[index * batch * state..(index + 1) * batch * state],
                cells,
                &mut out,
                RowTarget {
                    stride: width,
                    offset: direction * state,
                },
                &mut [],
            );
        }
        x = out.into_tensor(&[total, width]);
        if stack.dropout > 0.0 && layer + 1 < stack.layers {
            x = dense::<f32>(&dropout(cx, &x, stack.dropout, true)?);
        }
    }
    Ok(Some(x))
}

/// One step of `rows` rows; `None` where there is no kernel. `h` and `c` are replaced by the new states.
pub(super) fn step(
    kind: Recurrence,
    x: &Tensor,
    h: &mut [f32],
    c: &mut [f32],
    hidden: usize,
    p: &Parameters<'_>,
) -> Option<()> {
    let weight = Gates::of(&dense::<f32>(p.w_hh), kind.gates())?;
    let rows = x.size(0);
    let (own, bias) = from_input(kind, hidden, x, p.w_ih, p.b_ih, p.b_hh);
    let state = to_blocks(h, hidden);
    let mut new = Buffer::unspecified(state.len());
    let mut cell = to_blocks(c, hidden);
    GateStep {
        kind,
        weight: &weight,
        own: &own.data::<f32>(),
        bias: bias.as_deref(),
        state: &state,
        rows,
        batch: rows,
    }
    .run(&mut new, &mut cell, &mut []);
    for (row, h) in h.chunks_exact_mut(hidden).enumerate() {
        read_row(&new, rows, row, h);
    }
    if !c.is_empty() {
        for (row, c) in c.chunks_exact_mut(hidden).enumerate() {
            read_row(&cell, rows, row, c);
        }
    }
    Some(())
}
