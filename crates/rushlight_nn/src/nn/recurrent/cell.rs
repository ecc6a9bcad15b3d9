//! One step of a recurrent layer: the gates' arithmetic, and the cell operators.

use rushlight_kernels::compute::{compute, copied, dense, finish};
use rushlight_kernels::linalg::gemm::Matrix;
pub(crate) use rushlight_kernels::nn::recurrent::cell::{
    Recurrence, RecurrentNumber, advance, affine,
};
use rushlight_ops::linear_agrees;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Buffer, DType, Fault, Result, Tensor};
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

/// The parameters of a cell.
pub(super) struct Parameters<'a> {
    pub(super) w_ih: &'a Tensor,
    pub(super) w_hh: &'a Tensor,
    pub(super) b_ih: Option<&'a Tensor>,
    pub(super) b_hh: Option<&'a Tensor>,
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
    let (h, c) = step(Recurrence::Lstm, input, h, Some(c), &parameters)?;
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
            Ok(step(Recurrence::$kind, input, hx, None, &Parameters { w_ih, w_hh, b_ih, b_hh })?.0)
        }
    )*};
}
plain_cells! {
    gru_cell Gru;
    rnn_tanh_cell Tanh;
    rnn_relu_cell Relu;
}

/// Refuses the state of another batch or width than a batch has.
fn check_state(input: &Tensor, state: &Tensor, name: &str, width: usize) -> Result<()> {
    let rank = state.rank();
    let text = match input.rank() {
        2 if rank != 2 => {
            format!("Expected 2D {name} (batch x hidden_size), but got {rank}D tensor")
        }
        2 if input.size(0) != state.size(0) => format!(
            "Input batch size {} doesn't match {name} batch size {}",
            input.size(0),
            state.size(0)
        ),
        2 if state.size(1) != width => format!(
            "{name} has inconsistent hidden_size: got {}, expected {width}",
            state.size(1)
        ),
        _ => return Ok(()),
    };
    Err(Fault::runtime(text))
}

/// The second size of a weight.
fn width_of(weight: &Tensor) -> Result<usize> {
    wrap_dim(1, weight.rank()).map(|d| weight.size(d))
}

/// Refuses a weight whose gates are not those of so many hidden units.
fn check_gates(weight: &Tensor, name: &str, gates: usize, hidden: usize) -> Result<()> {
    let rows = weight.size(0);
    if rows == gates * hidden {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "{name} first dim must be {gates} * hidden_size = {}, but got {rows}",
        gates * hidden
    )))
}

/// Checks a batch, a state and the parameters of a cell against each other; the number of hidden units.
fn check(input: &Tensor, h: &Tensor, gates: usize, p: &Parameters<'_>) -> Result<usize> {
    if input.rank() != 2 {
        return Err(Fault::runtime(format!(
            "Expected 2D input (batch x feature), but got {}D input",
            input.rank()
        )));
    }
    let (features, taken) = (input.size(1), width_of(p.w_ih)?);
    if taken != features {
        return Err(Fault::runtime(format!(
            "input has inconsistent input_size: got {features} expected {taken}"
        )));
    }
    let hidden = width_of(p.w_hh)?;
    check_state(input, h, "hidden0", hidden)?;
    check_gates(p.w_ih, "weight_ih", gates, hidden)?;
    check_gates(p.w_hh, "weight_hh", gates, hidden)?;
    for weight in [p.w_ih, p.w_hh] {
        if weight.rank() != 2 {
            return Err(Fault::runtime(
                "t() expects a tensor with <= 2 dimensions, but self is 3D",
            ));
        }
    }
    let sizes = [input.size(0), gates * hidden];
    linear_agrees(input, p.w_ih, p.b_ih, &sizes)?;
    linear_agrees(h, p.w_hh, p.b_hh, &sizes)?;
    if h.dtype() != input.dtype() {
        return Err(Fault::runtime(format!(
            "mat1 and mat2 must have the same dtype, but got {} and {}",
            h.dtype().class_name(),
            input.dtype().class_name()
        )));
    }
    Ok(hidden)
}

/// A bias as one value per gate and hidden unit.
fn row_of(bias: Option<&Tensor>, width: usize) -> Result<Option<Tensor>> {
    let Some(bias) = bias else {
        return Ok(None);
    };
    let row = match bias.rank() {
        1 if bias.numel() == width => return Ok(Some(bias.clone())),
        0 | 1 => bias.clone(),
        2 if bias.size(0) == 1 => bias.select(0, 0)?,
        _ => {
            return Err(Fault::runtime(format!(
                "a recurrent cell takes a bias of one row, but got one of {}",
                list(bias.sizes())
            )));
        }
    };
    Ok(Some(row.expand_to(&[width])?))
}

fn step(
    kind: Recurrence,
    input: &Tensor,
    h: &Tensor,
    c: Option<&Tensor>,
    p: &Parameters<'_>,
) -> Result<(Tensor, Option<Tensor>)> {
    let hidden = check(input, h, kind.gates(), p)?;
    if let Some(c) = c {
        check_state(input, c, "hidden1", hidden)?;
    }
    if let Some(c) = c.filter(|c| c.sizes() != h.sizes()) {
        return Err(Fault::runtime(format!(
            "the states of an LSTM cell must have the same sizes, but have {} and {}",
            list(h.sizes()),
            list(c.sizes())
        )));
    }
    let width = kind.gates() * hidden;
    let (b_ih, b_hh) = (row_of(p.b_ih, width)?, row_of(p.b_hh, width)?);
    let p = &Parameters {
        w_ih: p.w_ih,
        w_hh: p.w_hh,
        b_ih: b_ih.as_ref(),
        b_hh: b_hh.as_ref(),
    };
    let rows = h.size(0);
    let narrow = super::narrow::of(input.dtype(), kind, false);
    if input.dtype() == DType::F32 && rows > 0 && hidden > 0 {
        let mut state = copied::<f32>(h);
        let mut cell = match c {
            Some(c) => copied::<f32>(c),
            None => Buffer::unspecified(0),
        };
        let x = dense::<f32>(input).reshape_to(&[rows, p.w_ih.size(1)])?;
        if super::blocks::step(kind, &x, &mut state, &mut cell, hidden, p).is_some() {
            let out = finish(state, h.sizes(), input.dtype());
            return Ok((out, c.map(|c| finish(cell, c.sizes(), input.dtype()))));
        }
    }
    Ok(compute!(input.dtype(), "rnn_cell", W => {
        let (x, w_ih, w_hh) = (dense::<W>(input), dense::<W>(p.w_ih), dense::<W>(p.w_hh));
        let (b_ih, b_hh) = (p.b_ih.map(dense::<W>), p.b_hh.map(dense::<W>));
        let (b_ih, b_hh) = (b_ih.as_ref().map(|b| b.data::<W>()), b_hh.as_ref().map(|b| b.data::<W>()));
        let mut state = copied::<W>(h);
        let mut cell = match c {
            Some(c) => copied::<W>(c),
            None => Buffer::<W>::unspecified(0),
        };
        let (mut own, mut from_hidden) = (memory::filled(memory::times([rows, width]), 0.0), memory::filled(memory::times([rows, width]), 0.0));
        let (w_ih, w_hh) = (w_ih.data::<W>(), w_hh.data::<W>());
        affine::<W>(&x.data::<W>(), rows, Matrix::dense(&w_ih, width, p.w_ih.size(1)), b_ih.as_deref(), &mut own);
        affine::<W>(&state, rows, Matrix::dense(&w_hh, width, hidden), b_hh.as_deref(), &mut from_hidden);
        super::narrow::round(&mut own, narrow);
        super::narrow::round(&mut from_hidden, narrow);
        match narrow {
            Some(dtype) => super::narrow::advance::<W>(kind, [&own[..], &from_hidden[..]], &mut state, &mut cell, hidden, dtype),
            None if hidden > 0 => advance::<W>(kind, &own, &from_hidden, &mut state, &mut cell, hidden),
            None => {}
        }
        let out = finish(state, h.sizes(), input.dtype());
        (out, c.map(|c| finish(cell, c.sizes(), input.dtype())))
    }))
}
