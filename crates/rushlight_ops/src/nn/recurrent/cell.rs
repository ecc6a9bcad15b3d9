//! One step of a recurrent layer: the gates' arithmetic, and the cell operators.

use crate::compute::{Compute, compute, dense, finish};
use crate::isa::multiversion;
use crate::linalg::gemm::{Matrix, Product, product};
use crate::nn::exponential::Exponential;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory;
use rushlight_tensor::{Buffer, Fault, Result, Tensor, watch};
use rushlight_types::{op, operators};

operators! {
    /// Cells.
    pub static ROWS = [
        op!("aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)", lstm_cell),
        op!("aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", gru_cell),
        op!("aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", rnn_tanh_cell),
        op!("aten::rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", rnn_relu_cell),
    ];
}

/// The kinds of recurrence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Lstm,
    Gru,
    Tanh,
    Relu,
}

impl Kind {
    /// Gates per hidden unit, stacked in the weights.
    pub fn gates(self) -> usize {
        match self {
            Kind::Lstm => 4,
            Kind::Gru => 3,
            Kind::Tanh | Kind::Relu => 1,
        }
    }
}

/// Compute types that have every kernel a recurrent step needs.
pub(super) trait Step: Compute + Product + Exponential {}
impl Step for f32 {}
impl Step for f64 {}

/// `x · wᵀ + b` into `out`, for `rows` rows.
pub(super) fn affine<W: Step>(
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
    pub(super) fn advance<W: Step>(kind: Kind, own: &[W], from_hidden: &[W], h: &mut [W], c: &mut [W], hidden: usize) = advance_body
}

#[inline(always)]
fn advance_body<const FUSED: bool, W: Step>(
    kind: Kind,
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
            Kind::Lstm => {
                let c = &mut c[r * hidden..(r + 1) * hidden];
                lstm_row::<FUSED, W>(x, y, h, c);
            }
            Kind::Gru => gru_row::<FUSED, W>(x, y, h),
            Kind::Tanh => {
                for k in 0..hidden {
                    h[k] = (x[k] + y[k]).fast_tanh::<FUSED>();
                }
            }
            Kind::Relu => {
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
fn lstm_row<const FUSED: bool, W: Step>(x: &[W], y: &[W], h: &mut [W], c: &mut [W]) {
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
fn gru_row<const FUSED: bool, W: Step>(x: &[W], y: &[W], h: &mut [W]) {
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

/// The parameters of a cell.
struct Parameters<'a> {
    w_ih: &'a Tensor,
    w_hh: &'a Tensor,
    b_ih: Option<&'a Tensor>,
    b_hh: Option<&'a Tensor>,
}

fn lstm_cell(
    input: &Tensor,
    hx: Vec<Tensor>,
    w_ih: &Tensor,
    w_hh: &Tensor,
    b_ih: Option<&Tensor>,
    b_hh: Option<&Tensor>,
) -> Result<(Tensor, Tensor)> {
    let [h, c] = hx.as_slice() else {
        return Err(Fault::runtime("lstm_cell expects two hidden states"));
    };
    let parameters = Parameters {
        w_ih,
        w_hh,
        b_ih,
        b_hh,
    };
    let (h, c) = step(Kind::Lstm, input, h, Some(c), &parameters)?;
    Ok((
        h,
        c.ok_or_else(|| Fault::internal("an LSTM step has a cell state"))?,
    ))
}

macro_rules! plain_cells {
    ($($name:ident $kind:ident;)*) => {$(
        fn $name(
            input: &Tensor,
            hx: &Tensor,
            w_ih: &Tensor,
            w_hh: &Tensor,
            b_ih: Option<&Tensor>,
            b_hh: Option<&Tensor>,
        ) -> Result<Tensor> {
            Ok(step(Kind::$kind, input, hx, None, &Parameters { w_ih, w_hh, b_ih, b_hh })?.0)
        }
    )*};
}
plain_cells! {
    gru_cell Gru;
    rnn_tanh_cell Tanh;
    rnn_relu_cell Relu;
}

fn check(input: &Tensor, h: &Tensor, gates: usize, p: &Parameters<'_>) -> Result<usize> {
    let fail = |message: String| Err(Fault::runtime(message));
    if p.w_ih.rank() != 2 || p.w_hh.rank() != 2 || input.rank() == 0 || h.rank() == 0 {
        return fail("the weights of a recurrent cell must be matrices".to_string());
    }
    let (features, hidden) = (input.size(input.rank() - 1), h.size(h.rank() - 1));
    if p.w_ih.size(1) != features {
        return fail(format!(
            "input has inconsistent input_size: got {features} expected {}",
            p.w_ih.size(1)
        ));
    }
    if input.rank() == 2 && h.rank() != 2 {
        return fail(format!(
            "Expected 2D hidden0 (batch x hidden_size), but got {}D tensor",
            h.rank()
        ));
    }
    if input.rank() == 2 && input.size(0) != h.size(0) {
        return fail(format!(
            "Input batch size {} doesn't match hidden0 batch size {}",
            input.size(0),
            h.size(0)
        ));
    }
    if p.w_hh.size(1) != hidden || p.w_hh.size(0) != gates * hidden {
        return fail(format!(
            "hidden0 has inconsistent hidden_size: got {hidden}, expected {}",
            p.w_hh.size(1)
        ));
    }
    let biases_fit = [p.b_ih, p.b_hh]
        .into_iter()
        .flatten()
        .all(|b| b.numel() == gates * hidden);
    if p.w_ih.size(0) != gates * hidden || !biases_fit {
        return fail(format!(
            "the parameters of a recurrent cell do not belong together: weights of {} and {}",
            list(p.w_ih.sizes()),
            list(p.w_hh.sizes())
        ));
    }
    if input.sizes()[..input.rank() - 1] != h.sizes()[..h.rank() - 1] {
        return fail(format!(
            "Input batch size {} doesn't match hidden batch size {}",
            list(&input.sizes()[..input.rank() - 1]),
            list(&h.sizes()[..h.rank() - 1])
        ));
    }
    for (x, w, b) in [(input, p.w_ih, p.b_ih), (h, p.w_hh, p.b_hh)] {
        if x.dtype() != w.dtype() || b.is_some_and(|b| b.dtype() != x.dtype()) {
            return fail(format!(
                "mat1 and mat2 must have the same dtype, but got {} and {}",
                x.dtype().class_name(),
                w.dtype().class_name()
            ));
        }
    }
    if h.dtype() != input.dtype() {
        return fail(format!(
            "mat1 and mat2 must have the same dtype, but got {} and {}",
            h.dtype().class_name(),
            input.dtype().class_name()
        ));
    }
    Ok(hidden)
}

fn step(
    kind: Kind,
    input: &Tensor,
    h: &Tensor,
    c: Option<&Tensor>,
    p: &Parameters<'_>,
) -> Result<(Tensor, Option<Tensor>)> {
    let hidden = check(input, h, kind.gates(), p)?;
    if let Some(c) = c.filter(|c| c.sizes() != h.sizes()) {
        return Err(Fault::runtime(format!(
            "the states of an LSTM cell must have the same sizes, but have {} and {}",
            list(h.sizes()),
            list(c.sizes())
        )));
    }
    let rows: usize = h.sizes()[..h.rank() - 1].iter().product();
    Ok(compute!(input.dtype(), "rnn_cell", W => {
        let (x, w_ih, w_hh) = (dense::<W>(input), dense::<W>(p.w_ih), dense::<W>(p.w_hh));
        let (b_ih, b_hh) = (p.b_ih.map(dense::<W>), p.b_hh.map(dense::<W>));
        let (b_ih, b_hh) = (b_ih.as_ref().map(|b| b.data::<W>()), b_hh.as_ref().map(|b| b.data::<W>()));
        let mut state = Buffer::copy_of(&dense::<W>(h).data::<W>());
        let mut cell = match c {
            Some(c) => Buffer::copy_of(&dense::<W>(c).data::<W>()),
            None => Buffer::<W>::stale(0),
        };
        let width = kind.gates() * hidden;
        let (mut own, mut from_hidden) = (memory::filled(memory::times([rows, width]), 0.0), memory::filled(memory::times([rows, width]), 0.0));
        let (w_ih, w_hh) = (w_ih.data::<W>(), w_hh.data::<W>());
        affine::<W>(&x.data::<W>(), rows, Matrix::dense(&w_ih, width, p.w_ih.size(1)), b_ih.as_deref(), &mut own);
        affine::<W>(&state, rows, Matrix::dense(&w_hh, width, hidden), b_hh.as_deref(), &mut from_hidden);
        if hidden > 0 {
            advance::<W>(kind, &own, &from_hidden, &mut state, &mut cell, hidden);
        }
        let out = finish(state, h.sizes(), input.dtype());
        (out, c.map(|c| finish(cell, c.sizes(), input.dtype())))
    }))
}
