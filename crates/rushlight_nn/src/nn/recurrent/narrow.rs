//! Steps of recurrent layers in 16-bit floats, which round after each operator that the reference makes them of.

use super::cell::{Recurrence, RecurrentNumber};
use rushlight_kernels::compute::round_to;
use rushlight_tensor::{DType, watch};

/// The dtype that steps round to, if that is narrower than what they compute in. Sequences of bfloat16 are the exception
/// for an LSTM: one kernel has them whole.
pub(super) fn of(dtype: DType, kind: Recurrence, is_sequence: bool) -> Option<DType> {
    let is_whole = is_sequence && kind == Recurrence::Lstm && dtype == DType::BF16;
    (dtype.size() == 2 && dtype.is_float() && !is_whole).then_some(dtype)
}

/// Rounds what a product made.
pub(super) fn round<W: RecurrentNumber>(values: &mut [W], dtype: Option<DType>) {
    if let Some(dtype) = dtype {
        for value in values {
            *value = W::of(round_to(value.f64(), dtype));
        }
    }
}

/// As [`super::cell::advance`], rounding after each operator.
pub(super) fn advance<W: RecurrentNumber>(
    kind: Recurrence,
    gates: [&[W]; 2],
    h: &mut [W],
    c: &mut [W],
    hidden: usize,
    dtype: DType,
) {
    let width = kind.gates() * hidden;
    if width == 0 {
        return;
    }
    let r = |v: f64| round_to(v, dtype);
    let sigmoid = |v: f64| r(1.0 / (1.0 + (-v).exp()));
    let rows = gates[0]
        .chunks_exact(width)
        .zip(gates[1].chunks_exact(width));
    for (row, (x, y)) in rows.enumerate() {
        watch::poll();
        let first = row * hidden;
        for k in 0..hidden {
            let own = |gate: usize| x[gate * hidden + k].f64();
            let carried = |gate: usize| y[gate * hidden + k].f64();
            let sum = |gate: usize| r(own(gate) + carried(gate));
            let h = &mut h[first + k];
            let new = match kind {
                Recurrence::Lstm => {
                    let c = &mut c[first + k];
                    let kept = r(sigmoid(sum(1)) * c.f64());
                    let added = r(sigmoid(sum(0)) * r(sum(2).tanh()));
                    let cell = r(kept + added);
                    *c = W::of(cell);
                    r(sigmoid(sum(3)) * r(cell.tanh()))
                }
                Recurrence::Gru => {
                    let carried = r(sigmoid(sum(0)) * carried(2));
                    let new = r(r(own(2) + carried).tanh());
                    r(new + r(sigmoid(sum(1)) * r(h.f64() - new)))
                }
                Recurrence::Tanh => r(sum(0).tanh()),
                Recurrence::Relu => {
                    let sum = sum(0);
                    if sum < 0.0 { 0.0 } else { sum }
                }
            };
            *h = W::of(new);
        }
    }
}
