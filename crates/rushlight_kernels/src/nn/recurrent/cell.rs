//! One step of an LSTM, a GRU or a plain cell.

use crate::compute::Compute;
use crate::isa::multiversion;
use crate::linalg::gemm::{Matrix, Product, product};
use crate::nn::exponential::Exponential;
use rushlight_tensor::watch;

/// The kinds of recurrence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recurrence {
    Lstm,
    Gru,
    Tanh,
    Relu,
}

impl Recurrence {
    /// Gates per hidden unit, stacked in the weights.
    pub fn gates(self) -> usize {
        match self {
            Recurrence::Lstm => 4,
            Recurrence::Gru => 3,
            Recurrence::Tanh | Recurrence::Relu => 1,
        }
    }
}

/// Compute types that have every kernel a recurrent step needs.
pub trait RecurrentNumber: Compute + Product + Exponential {}

impl RecurrentNumber for f32 {}

impl RecurrentNumber for f64 {}

/// `x · wᵀ + b` into `out`, for `rows` rows.
pub fn affine<W: RecurrentNumber>(
    x: &[W],
    rows: usize,
    w: Matrix<'_, W>,
    b: Option<&[W]>,
    out: &mut [W],
) {
    let n = w.rows();
    if let Some(b) = b {
        for row in out.chunks_exact_mut(n.max(1)) {
            watch::poll();
            row.copy_from_slice(b);
        }
    }
    let left = Matrix::dense(x, rows, w.cols());
    product(left, w.transposed(), out, n, b.is_some());
}

multiversion! {
    /// One step for all rows: `own` are the gates from the input, `from_hidden` those from the hidden state; `h` and
    /// (for LSTM) `c` are replaced by the new state.
    pub fn advance<W: RecurrentNumber>(kind: Recurrence, own: &[W], from_hidden: &[W], h: &mut [W], c: &mut [W], hidden: usize) = advance_body
}

#[inline(always)]
fn advance_body<const FUSED: bool, W: RecurrentNumber>(
    kind: Recurrence,
    own: &[W],
    from_hidden: &[W],
    h: &mut [W],
    c: &mut [W],
    hidden: usize,
) {
    let width = kind.gates() * hidden;
    if width == 0 {
        return;
    }
    let rows = own.chunks_exact(width).zip(from_hidden.chunks_exact(width));
    for (r, (x, y)) in rows.enumerate() {
        watch::poll();
        let h = &mut h[r * hidden..(r + 1) * hidden];
        match kind {
            Recurrence::Lstm => {
                let c = &mut c[r * hidden..(r + 1) * hidden];
                lstm_row::<FUSED, W>(x, y, h, c);
            }
            Recurrence::Gru => gru_row::<FUSED, W>(x, y, h),
            Recurrence::Tanh => {
                for k in 0..hidden {
                    h[k] = (x[k] + y[k]).fast_tanh::<FUSED>();
                }
            }
            Recurrence::Relu => {
                for k in 0..hidden {
                    let v = x[k] + y[k];
                    h[k] = if v < W::default() { W::default() } else { v };
                }
            }
        }
    }
}

/// Gates in the order input, forget, cell, output.
#[inline(always)]
fn lstm_row<const FUSED: bool, W: RecurrentNumber>(x: &[W], y: &[W], h: &mut [W], c: &mut [W]) {
    let n = h.len();
    let (xi, x) = x.split_at(n);
    let (xf, x) = x.split_at(n);
    let (xg, xo) = x.split_at(n);
    let (yi, y) = y.split_at(n);
    let (yf, y) = y.split_at(n);
    let (yg, yo) = y.split_at(n);
    let (xo, yo, c) = (&xo[..n], &yo[..n], &mut c[..n]);
    for k in 0..n {
        let i = (xi[k] + yi[k]).fast_sigmoid::<FUSED>();
        let f = (xf[k] + yf[k]).fast_sigmoid::<FUSED>();
        let g = (xg[k] + yg[k]).fast_tanh::<FUSED>();
        let o = (xo[k] + yo[k]).fast_sigmoid::<FUSED>();
        c[k] = f * c[k] + i * g;
        h[k] = o * c[k].fast_tanh::<FUSED>();
    }
}

/// Gates in the order reset, update, new.
#[inline(always)]
fn gru_row<const FUSED: bool, W: RecurrentNumber>(x: &[W], y: &[W], h: &mut [W]) {
    let n = h.len();
    let (xr, x) = x.split_at(n);
    let (xz, xn) = x.split_at(n);
    let (yr, y) = y.split_at(n);
    let (yz, yn) = y.split_at(n);
    let (xn, yn) = (&xn[..n], &yn[..n]);
    for k in 0..n {
        let r = (xr[k] + yr[k]).fast_sigmoid::<FUSED>();
        let z = (xz[k] + yz[k]).fast_sigmoid::<FUSED>();
        let new = (xn[k] + r * yn[k]).fast_tanh::<FUSED>();
        h[k] = new + z * (h[k] - new);
    }
}
