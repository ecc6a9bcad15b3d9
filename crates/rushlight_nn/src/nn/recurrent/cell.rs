//! One step of a recurrent layer: the gates' arithmetic, and the cell operators.

use rushlight_kernels::compute::{compute, copied, dense, finish};
use rushlight_kernels::linalg::gemm::Matrix;
pub(crate) use rushlight_kernels::nn::recurrent::cell::{
    Recurrence, RecurrentNumber, advance, affine,
};
use rushlight_tensor::layout::list;
use rushlight_tensor::memory;
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
fn check_state(input: &Tensor, state: &Tensor, name: &str, w_hh: &Tensor) -> Result<()> {
    let (rank, width) = (state.rank(), w_hh.size(1));
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
    check_state(input, h, "hidden0", p.w_hh)?;
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
    kind: Recurrence,
    input: &Tensor,
    h: &Tensor,
    c: Option<&Tensor>,
    p: &Parameters<'_>,
) -> Result<(Tensor, Option<Tensor>)> {
    let hidden = check(input, h, kind.gates(), p)?;
    if let Some(c) = c {
        check_state(input, c, "hidden1", p.w_hh)?;
    }
    if let Some(c) = c.filter(|c| c.sizes() != h.sizes()) {
        return Err(Fault::runtime(format!(
            "the states of an LSTM cell must have the same sizes, but have {} and {}",
            list(h.sizes()),
            list(c.sizes())
        )));
    }
    let rows: usize = h.sizes()[..h.rank() - 1].iter().product();
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
        let width = kind.gates() * hidden;
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
