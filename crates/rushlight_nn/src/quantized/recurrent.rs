//! Recurrent layers with packed weights, quantized as they go.

use super::gates::{self, tanh};
use super::linear::dynamic;
use super::packed;
use crate::nn::recurrent::Settings;
use rushlight_tensor::memory;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Fault, Result, Tensor, watch};
use rushlight_types::{GenericList, Object, Type, Value, arguments, native, op, operators};
use std::sync::Arc;

operators! {
    /// Layers and cells.
    pub static ROWS = [
        op!("quantized::make_quantized_cell_params_dynamic(__torch__.torch.classes.quantized.LinearPackedParamsBase w_ih, __torch__.torch.classes.quantized.LinearPackedParamsBase w_hh, Tensor bias_ih, Tensor bias_hh, bool reduce_range=False) -> __torch__.torch.classes.rnn.CellParamsBase", make_parameters),
        op!("aten::quantized_lstm.input(Tensor input, Tensor[] hx, __torch__.torch.classes.rnn.CellParamsBase[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first, *, ScalarType? dtype=None, bool use_dynamic=False) -> (Tensor, Tensor, Tensor)", lstm),
        op!("aten::quantized_gru.input(Tensor input, Tensor hx, __torch__.torch.classes.rnn.CellParamsBase[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)", gru),
        op!("aten::quantized_lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, __torch__.torch.classes.rnn.CellParamsBase[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, *, ScalarType? dtype=None, bool use_dynamic=False) -> (Tensor, Tensor, Tensor)", lstm_packed),
        op!("aten::quantized_gru.data(Tensor data, Tensor batch_sizes, Tensor hx, __torch__.torch.classes.rnn.CellParamsBase[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)", gru_packed),
        op!("quantized::quantized_lstm_cell_dynamic(Tensor input, Tensor[] hx, __torch__.torch.classes.quantized.LinearPackedParamsBase w_ih, __torch__.torch.classes.quantized.LinearPackedParamsBase w_hh, Tensor bias_ih, Tensor bias_hh) -> (Tensor, Tensor)", lstm_cell),
        op!("quantized::quantized_gru_cell_dynamic(Tensor input, Tensor hx, __torch__.torch.classes.quantized.LinearPackedParamsBase w_ih, __torch__.torch.classes.quantized.LinearPackedParamsBase w_hh, Tensor b_ih, Tensor b_hh) -> Tensor", gru_cell),
        op!("quantized::quantized_rnn_tanh_cell_dynamic(Tensor input, Tensor hx, __torch__.torch.classes.quantized.LinearPackedParamsBase w_ih, __torch__.torch.classes.quantized.LinearPackedParamsBase w_hh, Tensor b_ih, Tensor b_hh) -> Tensor", rnn_tanh_cell),
        op!("quantized::quantized_rnn_relu_cell_dynamic(Tensor input, Tensor hx, __torch__.torch.classes.quantized.LinearPackedParamsBase w_ih, __torch__.torch.classes.quantized.LinearPackedParamsBase w_hh, Tensor b_ih, Tensor b_hh) -> Tensor", rnn_relu_cell),
    ];
}

/// The weights of one direction of one layer.
struct Cell {
    from_input: Arc<packed::Weights>,
    from_hidden: Arc<packed::Weights>,
    reduced: bool,
}

fn malformed() -> Fault {
    Fault::runtime("the packed parameters of a quantized recurrent layer are malformed")
}

fn make_parameters(
    from_input: &Arc<Object>,
    from_hidden: &Arc<Object>,
    bias_input: &Tensor,
    bias_hidden: &Tensor,
    reduced: bool,
) -> Result<Arc<Object>> {
    const LINEAR: &str = "__torch__.torch.classes.quantized.LinearPackedParamsBase";
    const CELL: &str = "__torch__.torch.classes.rnn.CellParamsBase";
    let (Some(linear), Some(cell)) = (native::known_class(LINEAR), native::known_class(CELL))
    else {
        return Err(Fault::internal("the classes of packed parameters are gone"));
    };
    let weights = vec![
        Value::Object(from_input.clone()),
        Value::Object(from_hidden.clone()),
    ];
    let state = Value::tuple(vec![
        Value::str("quantized_dynamic"),
        Value::TensorList(vec![bias_input.clone(), bias_hidden.clone()].into()),
        Value::FloatList(Vec::new().into()),
        Value::IntList(vec![i64::from(reduced)].into()),
        Value::List(Arc::new(GenericList::new(Type::Class(linear), weights))),
    ]);
    Ok(native::object(cell, state))
}

fn cell(value: &Value) -> Result<Cell> {
    let Value::Object(object) = value else {
        return Err(malformed());
    };
    let Some(Value::Tuple(state)) = native::state(object) else {
        return Err(malformed());
    };
    let [Value::Str(kind), _, _, ints, weights] = &*state.items else {
        return Err(malformed());
    };
    let weights = weights.list_items()?;
    let [Value::Object(from_input), Value::Object(from_hidden)] = weights.as_slice() else {
        return Err(Fault::runtime(format!(
            "recurrent layers with parameters of kind '{}' are not supported; those of kind 'quantized_dynamic' are",
            kind
        )));
    };
    let reduced = ints.list_items()?.first().map_or(Ok(0), Value::as_int)? != 0;
    Ok(Cell {
        from_input: packed::linear(from_input)?,
        from_hidden: packed::linear(from_hidden)?,
        reduced,
    })
}

/// A step: from the gates that come of the input and of the hidden state to the new states.
type CellStep = fn(&[f32], &[f32], &mut [f32], &mut [f32]);

/// The sums of both kinds of gates; the rows `through` go through the sigmoid.
fn gates(x: &[f32], y: &[f32], width: usize, through: &[usize]) -> Vec<f32> {
    let mut sums = memory::collect(x.iter().zip(y).map(|(x, y)| x + y));
    for row in through {
        gates::sigmoid(&mut sums[row * width..(row + 1) * width]);
    }
    sums
}

fn lstm_step(x: &[f32], y: &[f32], h: &mut [f32], c: &mut [f32]) {
    let n = h.len();
    let gates = gates(x, y, n, &[0, 1, 3]);
    for i in 0..n {
        let gate = |k: usize| gates[k * n + i];
        c[i] = gate(1) * c[i] + gate(0) * tanh(gate(2));
        h[i] = gate(3) * tanh(c[i]);
    }
}

fn gru_step(x: &[f32], y: &[f32], h: &mut [f32], _: &mut [f32]) {
    let n = h.len();
    let gates = gates(x, y, n, &[0, 1]);
    for i in 0..n {
        let (reset, update) = (gates[i], gates[n + i]);
        let fresh = tanh(x[2 * n + i] + reset * y[2 * n + i]);
        h[i] = fresh + update * (h[i] - fresh);
    }
}

fn tanh_step(x: &[f32], y: &[f32], h: &mut [f32], _: &mut [f32]) {
    h.iter_mut()
        .zip(x.iter().zip(y))
        .for_each(|(h, (x, y))| *h = tanh(x + y));
}

fn relu_step(x: &[f32], y: &[f32], h: &mut [f32], _: &mut [f32]) {
    h.iter_mut()
        .zip(x.iter().zip(y))
        .for_each(|(h, (x, y))| *h = (x + y).max(0.0));
}

/// States of a batch, one row after the other.
struct States {
    h: Vec<f32>,
    c: Vec<f32>,
    hidden: usize,
}

impl States {
    /// One step of the first `rows` of the batch; `gates` are those that come of the input.
    fn step(&mut self, cell: &Cell, rows: usize, gates: &[f32], step: CellStep) -> Result<()> {
        let h = Tensor::from_slice(&self.h[..rows * self.hidden], &[rows, self.hidden])?;
        let from_hidden = dynamic(&h, &cell.from_hidden, cell.reduced, false)?;
        let from_hidden: Vec<f32> = from_hidden.to_vec();
        let width = from_hidden.len() / rows.max(1);
        if gates.len() != from_hidden.len() {
            return Err(malformed());
        }
        for row in 0..rows {
            let (at, of) = (row * self.hidden, row * width);
            step(
                &gates[of..of + width],
                &from_hidden[of..of + width],
                &mut self.h[at..at + self.hidden],
                &mut self.c[at..at + self.hidden],
            );
        }
        Ok(())
    }
}

/// One direction of one layer over rows of features, of which each time has as many as `times` says; gives the states of
/// all times.
fn direction(
    x: &Tensor,
    times: &[usize],
    cell: &Cell,
    states: &mut States,
    step: CellStep,
    backward: bool,
) -> Result<Vec<f32>> {
    let gates: Vec<f32> = dynamic(x, &cell.from_input, cell.reduced, false)?.to_vec();
    let (width, hidden) = (gates.len() / x.size(0).max(1), states.hidden);
    let mut out = memory::filled(memory::times([x.size(0), hidden]), 0.0);
    let mut run = |first: usize, rows: usize| -> Result<()> {
        let last = first + rows;
        states.step(cell, rows, &gates[first * width..last * width], step)?;
        out[first * hidden..last * hidden].copy_from_slice(&states.h[..rows * hidden]);
        Ok(())
    };
    let mut at = if backward { x.size(0) } else { 0 };
    if backward {
        for &rows in times.iter().rev() {
            at -= rows;
            run(at, rows)?;
        }
    } else {
        for &rows in times {
            run(at, rows)?;
            at += rows;
        }
    }
    Ok(out)
}

/// What the layers are: their cells, and how many directions each layer has.
struct Stack {
    cells: Vec<Cell>,
    directions: usize,
    gates: usize,
    step: CellStep,
}

impl Stack {
    fn new(
        parameters: &[Value],
        settings: &Settings,
        gates: usize,
        step: CellStep,
    ) -> Result<Stack> {
        let directions = 1 + usize::from(settings.bidirectional);
        let cells = parameters.iter().map(cell).collect::<Result<Vec<_>>>()?;
        let layers = usize::try_from(settings.layers).ok();
        if layers.map(|n| n * directions) != Some(cells.len()) {
            return Err(Fault::runtime(
                "got a number of packed parameters that does not fit the number of layers",
            ));
        }
        Ok(Stack {
            cells,
            directions,
            gates,
            step,
        })
    }

    /// Runs all layers over time by batch by features from the states `h` and `c`.
    fn run(&self, x: &Tensor, h: &Tensor, c: &Tensor) -> Result<(Tensor, Tensor, Tensor)> {
        let [times, batch, features] = *x.sizes() else {
            return Err(Fault::runtime("expected an input of 3 dimensions"));
        };
        let rows = x.contiguous().reshape_to(&[times * batch, features])?;
        let (out, h, c) = self.run_rows(&rows, &memory::filled(times, batch), h, c)?;
        let width = out.size(1);
        Ok((out.reshape_to(&[times, batch, width])?, h, c))
    }

    /// Runs all layers over a packed sequence.
    fn run_packed(
        &self,
        data: &Tensor,
        batch_sizes: &Tensor,
        h: &Tensor,
        c: &Tensor,
    ) -> Result<(Tensor, Tensor, Tensor)> {
        let times: Vec<i64> = batch_sizes.to_vec();
        let times: Option<Vec<usize>> = times.iter().map(|n| usize::try_from(*n).ok()).collect();
        let times = times.filter(|times| times.is_sorted_by(|a, b| a >= b));
        let fits = |times: &Vec<usize>| {
            let total = times.iter().try_fold(0usize, |sum, n| sum.checked_add(*n));
            data.rank() == 2 && total == Some(data.size(0))
        };
        match times.filter(fits) {
            Some(times) => self.run_rows(&data.contiguous(), &times, h, c),
            None => Err(Fault::runtime(
                "the batch sizes do not fit the data of the packed sequence",
            )),
        }
    }

    /// Runs all layers over rows, of which each time has so many.
    fn run_rows(
        &self,
        x: &Tensor,
        times: &[usize],
        h: &Tensor,
        c: &Tensor,
    ) -> Result<(Tensor, Tensor, Tensor)> {
        let (count, batch, hidden) = match *h.sizes() {
            [count, batch, hidden] => (count, batch, hidden),
            _ => return Err(Fault::runtime("expected hidden states of 3 dimensions")),
        };
        let fits = count == self.cells.len() && times.first().is_none_or(|rows| *rows == batch);
        if !fits || c.sizes() != h.sizes() {
            return Err(Fault::runtime(
                "the hidden states do not fit the input and the number of layers",
            ));
        }
        let (first_h, first_c): (Vec<f32>, Vec<f32>) = (h.to_vec(), c.to_vec());
        let (mut last_h, mut last_c) = (Vec::new(), Vec::new());
        let mut x = x.clone();
        for (layer, cells) in self.cells.chunks(self.directions).enumerate() {
            watch::poll();
            let mut outputs = Vec::new();
            for (side, cell) in cells.iter().enumerate() {
                let at = (layer * self.directions + side) * batch * hidden;
                let wide = cell.from_hidden.weight.size(0) == self.gates * hidden
                    && cell.from_input.weight.size(0) == self.gates * hidden;
                if !wide {
                    return Err(malformed());
                }
                let mut states = States {
                    h: first_h[at..at + batch * hidden].to_vec(),
                    c: first_c[at..at + batch * hidden].to_vec(),
                    hidden,
                };
                let (step, backward) = (self.step, side == 1);
                outputs.push(direction(&x, times, cell, &mut states, step, backward)?);
                last_h.extend(states.h);
                last_c.extend(states.c);
            }
            x = side_by_side(&outputs, x.size(0), hidden)?;
        }
        let sizes = [count, batch, hidden];
        Ok((
            x,
            Tensor::from_vec(last_h, &sizes)?,
            Tensor::from_vec(last_c, &sizes)?,
        ))
    }
}

/// The outputs of the directions of a layer, joined along the features.
fn side_by_side(outputs: &[Vec<f32>], rows: usize, hidden: usize) -> Result<Tensor> {
    let mut joined = memory::with_capacity(outputs.len() * rows * hidden);
    for row in 0..rows {
        watch::poll();
        for output in outputs {
            joined.extend_from_slice(&output[row * hidden..(row + 1) * hidden]);
        }
    }
    Tensor::from_vec(joined, &[rows, outputs.len() * hidden])
}

fn time_first(x: &Tensor, batch_first: bool) -> Result<Tensor> {
    wrap_dim(2, x.rank())?;
    if batch_first {
        x.transpose(0, 1)
    } else {
        Ok(x.clone())
    }
}

arguments! {
    /// How packed weights are quantized, which they know themselves.
    struct LstmKind {
        _dtype: Option<i64>,
        _use_dynamic: bool,
    }
}

fn lstm(
    input: &Tensor,
    states: Vec<Tensor>,
    parameters: &Value,
    settings: Settings,
    batch_first: bool,
    _kind: LstmKind,
) -> Result<(Tensor, Tensor, Tensor)> {
    let [h, c] = states.as_slice() else {
        return Err(Fault::runtime("lstm expects two hidden states"));
    };
    let cells = parameters.list_items()?;
    let stack = Stack::new(&cells, &settings, 4, lstm_step)?;
    let (out, h, c) = stack.run(&time_first(input, batch_first)?, h, c)?;
    Ok((time_first(&out, batch_first)?, h, c))
}

fn gru(
    input: &Tensor,
    h: &Tensor,
    parameters: &Value,
    settings: Settings,
    batch_first: bool,
) -> Result<(Tensor, Tensor)> {
    let cells = parameters.list_items()?;
    let stack = Stack::new(&cells, &settings, 3, gru_step)?;
    let (out, h, _) = stack.run(&time_first(input, batch_first)?, h, h)?;
    Ok((time_first(&out, batch_first)?, h))
}

fn lstm_packed(
    data: &Tensor,
    batch_sizes: &Tensor,
    states: Vec<Tensor>,
    parameters: &Value,
    settings: Settings,
    _kind: LstmKind,
) -> Result<(Tensor, Tensor, Tensor)> {
    let [h, c] = states.as_slice() else {
        return Err(Fault::runtime("lstm expects two hidden states"));
    };
    let cells = parameters.list_items()?;
    let stack = Stack::new(&cells, &settings, 4, lstm_step)?;
    stack.run_packed(data, batch_sizes, h, c)
}

fn gru_packed(
    data: &Tensor,
    batch_sizes: &Tensor,
    h: &Tensor,
    parameters: &Value,
    settings: Settings,
) -> Result<(Tensor, Tensor)> {
    let cells = parameters.list_items()?;
    let stack = Stack::new(&cells, &settings, 3, gru_step)?;
    let (out, h, _) = stack.run_packed(data, batch_sizes, h, h)?;
    Ok((out, h))
}

/// One step of a cell on its own.
fn single(
    input: &Tensor,
    (h, c): (&Tensor, &Tensor),
    (from_input, from_hidden): (&Object, &Object),
    gates: usize,
    step: CellStep,
) -> Result<(Tensor, Tensor)> {
    let cell = Cell {
        from_input: packed::linear(from_input)?,
        from_hidden: packed::linear(from_hidden)?,
        // Cells on their own always leave a bit free.
        reduced: true,
    };
    if h.rank() != 2 || c.sizes() != h.sizes() || input.rank() != 2 || input.size(0) != h.size(0) {
        return Err(Fault::runtime("the hidden state does not fit the input"));
    }
    if cell.from_hidden.weight.size(0) != gates * h.size(1) {
        return Err(malformed());
    }
    let mut states = States {
        h: h.to_vec(),
        c: c.to_vec(),
        hidden: h.size(1),
    };
    let from_input: Vec<f32> = dynamic(input, &cell.from_input, cell.reduced, false)?.to_vec();
    states.step(&cell, h.size(0), &from_input, step)?;
    Ok((
        Tensor::from_vec(states.h, h.sizes())?,
        Tensor::from_vec(states.c, h.sizes())?,
    ))
}

fn lstm_cell(
    input: &Tensor,
    states: Vec<Tensor>,
    from_input: &Arc<Object>,
    from_hidden: &Arc<Object>,
    _bias_input: &Tensor,
    _bias_hidden: &Tensor,
) -> Result<(Tensor, Tensor)> {
    let [h, c] = states.as_slice() else {
        return Err(Fault::runtime("lstm expects two hidden states"));
    };
    single(input, (h, c), (from_input, from_hidden), 4, lstm_step)
}

fn gru_cell(
    input: &Tensor,
    h: &Tensor,
    from_input: &Arc<Object>,
    from_hidden: &Arc<Object>,
    _bias_input: &Tensor,
    _bias_hidden: &Tensor,
) -> Result<Tensor> {
    single(input, (h, h), (from_input, from_hidden), 3, gru_step).map(|(h, _)| h)
}

fn rnn_tanh_cell(
    input: &Tensor,
    h: &Tensor,
    from_input: &Arc<Object>,
    from_hidden: &Arc<Object>,
    _bias_input: &Tensor,
    _bias_hidden: &Tensor,
) -> Result<Tensor> {
    single(input, (h, h), (from_input, from_hidden), 1, tanh_step).map(|(h, _)| h)
}

fn rnn_relu_cell(
    input: &Tensor,
    h: &Tensor,
    from_input: &Arc<Object>,
    from_hidden: &Arc<Object>,
    _bias_input: &Tensor,
    _bias_hidden: &Tensor,
) -> Result<Tensor> {
    single(input, (h, h), (from_input, from_hidden), 1, relu_step).map(|(h, _)| h)
}
