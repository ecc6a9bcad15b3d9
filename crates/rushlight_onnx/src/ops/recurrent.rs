//! Recurrent layers: a node of ONNX for each layer, its weights in ONNX's order.

use super::{Call, Out, Row};
use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use crate::symbol::Symbol;
use crate::walk::items_of;
use rushlight_types::{Result, Type, Value};

type Outs = Result<Vec<Out>>;

pub(super) const ROWS: &[Row] = &[
    ("aten::lstm", |e, c| run(e, c, &LSTM)),
    ("aten::gru", |e, c| run(e, c, &GRU)),
    ("aten::rnn_tanh", |e, c| run(e, c, &TANH)),
    ("aten::rnn_relu", |e, c| run(e, c, &RELU)),
    ("aten::lstm_cell", lstm_cell),
    ("aten::gru_cell", gru_cell),
    ("aten::rnn_tanh_cell", |e, c| plain_cell(e, c, "aten::tanh")),
    ("aten::rnn_relu_cell", |e, c| plain_cell(e, c, "aten::relu")),
];

/// A kind of layer.
struct LayerKind {
    name: &'static str,
    /// Which of the language's gates ONNX has first, second and so on.
    gates: &'static [i64],
    activation: Option<&'static str>,
    has_cell: bool,
}

const LSTM: LayerKind = LayerKind {
    name: "LSTM",
    gates: &[0, 3, 1, 2],
    activation: None,
    has_cell: true,
};
const GRU: LayerKind = LayerKind {
    name: "GRU",
    gates: &[1, 0, 2],
    activation: None,
    has_cell: false,
};
const TANH: LayerKind = LayerKind {
    name: "RNN",
    gates: &[0],
    activation: Some("Tanh"),
    has_cell: false,
};
const RELU: LayerKind = LayerKind {
    name: "RNN",
    gates: &[0],
    activation: Some("Relu"),
    has_cell: false,
};

fn known(number: i64) -> Symbol {
    Symbol::Known(Value::Int(number))
}

/// The rows of a tensor from `start` to `end` along its first dimension.
fn rows(e: &mut Exporter<'_>, tensor: &Symbol, start: i64, end: i64) -> Result<Symbol> {
    e.call(
        "aten::slice.Tensor",
        &[
            ("self", tensor.clone()),
            ("dim", known(0)),
            ("start", known(start)),
            ("end", known(end)),
        ],
    )
}

fn cat(e: &mut Exporter<'_>, parts: Vec<Symbol>, dim: i64) -> Result<Symbol> {
    if let [only] = parts.as_slice() {
        return Ok(only.clone());
    }
    let parts = e.list(parts);
    e.call("aten::cat", &[("tensors", parts), ("dim", known(dim))])
}

/// A weight with its gates in ONNX's order.
fn gates(e: &mut Exporter<'_>, kind: &LayerKind, weight: &Symbol, hidden: i64) -> Result<Symbol> {
    let mut parts = Vec::new();
    for gate in kind.gates {
        parts.push(rows(e, weight, gate * hidden, (gate + 1) * hidden)?);
    }
    cat(e, parts, 0)
}

/// Weights of all directions, one behind another in a new dimension.
fn directions(e: &mut Exporter<'_>, weights: Vec<Symbol>) -> Result<Name> {
    let mut parts = Vec::new();
    for weight in weights {
        parts.push(e.call("aten::unsqueeze", &[("self", weight), ("dim", known(0))])?);
    }
    let all = cat(e, parts, 0)?;
    e.name_of(&all)
}

fn run(e: &mut Exporter<'_>, call: &Call, kind: &LayerKind) -> Outs {
    if call.get("batch_sizes").is_some() {
        return Err(call.refuse("packed sequences cannot be exported to ONNX"));
    }
    if call.bool("train")? && call.float("dropout")? != 0.0 {
        return Err(
            call.refuse("dropout between layers cannot be exported to ONNX in training mode")
        );
    }
    let weights = call.items("params")?;
    let (has_biases, layers) = (call.bool("has_biases")?, call.int("num_layers")?);
    let both_ways = call.bool("bidirectional")?;
    let batch_first = call.bool("batch_first")?;
    let ways: usize = if both_ways { 2 } else { 1 };
    let states: Vec<Symbol> = match call.arg("hx")? {
        list @ Symbol::List(_) => items_of(list)?,
        state => vec![state.clone()],
    };
    let mut given = Vec::new();
    for state in &states {
        given.push(e.name_of(state)?);
    }
    let single = e
        .example(&call.arguments[0], &Type::Any)?
        .as_tensor()?
        .rank()
        == 2;
    let mut value = e.input(call, "input")?;
    let batch_axis = if batch_first { 0 } else { 1 };
    if single {
        value = e.unsqueeze(&value, &[batch_axis])?;
        for state in &mut given {
            *state = e.unsqueeze(&state.clone(), &[1])?;
        }
    }
    if batch_first {
        value = e.transpose(&value, vec![1, 0, 2]);
    }
    let per_way = if has_biases { 4 } else { 2 };
    let expected = layers as usize * ways * per_way;
    if weights.len() != expected {
        return Err(call.refuse("projections cannot be exported to ONNX"));
    }
    let mut finals: Vec<Vec<Name>> = vec![Vec::new(); given.len()];
    for layer in 0..layers as usize {
        let (mut input_weights, mut hidden_weights, mut biases) =
            (Vec::new(), Vec::new(), Vec::new());
        let mut hidden = 0;
        for way in 0..ways {
            let first = (layer * ways + way) * per_way;
            let part = &weights[first..first + per_way];
            if let Symbol::Tensor(cell) = &part[1] {
                hidden = cell.borrow().example.size(1) as i64;
            }
            input_weights.push(gates(e, kind, &part[0], hidden)?);
            hidden_weights.push(gates(e, kind, &part[1], hidden)?);
            if has_biases {
                let of_input = gates(e, kind, &part[2], hidden)?;
                let of_hidden = gates(e, kind, &part[3], hidden)?;
                biases.push(cat(e, vec![of_input, of_hidden], 0)?);
            }
        }
        let mut inputs = vec![
            value.clone(),
            directions(e, input_weights)?,
            directions(e, hidden_weights)?,
            match has_biases {
                true => directions(e, biases)?,
                false => "".into(),
            },
            "".into(),
        ];
        let (start, end) = ((layer * ways) as i64, ((layer + 1) * ways) as i64);
        for state in &given {
            inputs.push(match layers {
                1 => state.clone(),
                _ => e.cut(state, 0, start, end)?,
            });
        }
        let direction = if both_ways {
            "bidirectional"
        } else {
            "forward"
        };
        let mut attributes = vec![
            ("direction", Attribute::Str(direction.into())),
            ("hidden_size", Attribute::Int(hidden)),
        ];
        if let Some(name) = kind.activation {
            attributes.push(("activations", Attribute::Strs(vec![name.into(); ways])));
        }
        if kind.name == "GRU" {
            attributes.push(("linear_before_reset", Attribute::Int(1)));
        }
        let outputs = if kind.has_cell { 3 } else { 2 };
        let names = e.nodes(kind.name, &inputs, attributes, outputs);
        value = match both_ways {
            true => {
                let moved = e.transpose(&names[0], vec![0, 2, 1, 3]);
                e.reshape(&moved, &[0, 0, -1])?
            }
            false => e.squeeze(&names[0], &[1])?,
        };
        for (all, name) in finals.iter_mut().zip(&names[1..]) {
            all.push(name.clone());
        }
    }
    if batch_first {
        value = e.transpose(&value, vec![1, 0, 2]);
    }
    if single {
        value = e.squeeze(&value, &[batch_axis])?;
    }
    let mut outs = vec![Out::Name(value)];
    for names in finals {
        let mut name = match names.as_slice() {
            [only] => only.clone(),
            names => e.node("Concat", names, vec![("axis", Attribute::Int(0))]),
        };
        if single {
            name = e.squeeze(&name, &[1])?;
        }
        outs.push(Out::Name(name));
    }
    Ok(outs)
}

/// `input @ weight.T + bias` by the row's own operators, so that everything else follows.
fn gate_sums(e: &mut Exporter<'_>, call: &Call, state: &Symbol) -> Result<(Symbol, Symbol)> {
    let none = Symbol::Known(Value::None);
    let mut line = |input: Symbol, weight: &str, bias: &str| -> Result<Symbol> {
        let bias = call.get(bias).cloned().unwrap_or(none.clone());
        let weight = call.arg(weight)?.clone();
        e.call(
            "aten::linear",
            &[("input", input), ("weight", weight), ("bias", bias)],
        )
    };
    let from_input = line(call.arg("input")?.clone(), "w_ih", "b_ih")?;
    let from_state = line(state.clone(), "w_hh", "b_hh")?;
    Ok((from_input, from_state))
}

fn binary(e: &mut Exporter<'_>, name: &str, a: &Symbol, b: &Symbol) -> Result<Symbol> {
    e.call(name, &[("self", a.clone()), ("other", b.clone())])
}

fn unary(e: &mut Exporter<'_>, name: &str, a: &Symbol) -> Result<Symbol> {
    e.call(name, &[("self", a.clone())])
}

fn chunks(e: &mut Exporter<'_>, symbol: &Symbol, count: i64) -> Result<Vec<Symbol>> {
    let parts = e.call(
        "aten::chunk",
        &[
            ("self", symbol.clone()),
            ("chunks", known(count)),
            ("dim", known(-1)),
        ],
    )?;
    items_of(&parts)
}

fn lstm_cell(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let states = call.items("hx")?;
    let (a, b) = gate_sums(e, call, &states[0])?;
    let sums = binary(e, "aten::add.Tensor", &a, &b)?;
    let parts = chunks(e, &sums, 4)?;
    let enter = unary(e, "aten::sigmoid", &parts[0])?;
    let forget = unary(e, "aten::sigmoid", &parts[1])?;
    let new = unary(e, "aten::tanh", &parts[2])?;
    let leave = unary(e, "aten::sigmoid", &parts[3])?;
    let kept = binary(e, "aten::mul.Tensor", &forget, &states[1])?;
    let added = binary(e, "aten::mul.Tensor", &enter, &new)?;
    let cell = binary(e, "aten::add.Tensor", &kept, &added)?;
    let shown = unary(e, "aten::tanh", &cell)?;
    let hidden = binary(e, "aten::mul.Tensor", &leave, &shown)?;
    Ok(vec![Out::Symbol(hidden), Out::Symbol(cell)])
}

fn gru_cell(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let state = call.arg("hx")?.clone();
    let (a, b) = gate_sums(e, call, &state)?;
    let (a, b) = (chunks(e, &a, 3)?, chunks(e, &b, 3)?);
    let reset = binary(e, "aten::add.Tensor", &a[0], &b[0])?;
    let reset = unary(e, "aten::sigmoid", &reset)?;
    let update = binary(e, "aten::add.Tensor", &a[1], &b[1])?;
    let update = unary(e, "aten::sigmoid", &update)?;
    let past = binary(e, "aten::mul.Tensor", &reset, &b[2])?;
    let new = binary(e, "aten::add.Tensor", &a[2], &past)?;
    let new = unary(e, "aten::tanh", &new)?;
    let way = binary(e, "aten::sub.Tensor", &state, &new)?;
    let kept = binary(e, "aten::mul.Tensor", &update, &way)?;
    let hidden = binary(e, "aten::add.Tensor", &new, &kept)?;
    Ok(vec![Out::Symbol(hidden)])
}

fn plain_cell(e: &mut Exporter<'_>, call: &Call, activation: &str) -> Outs {
    let state = call.arg("hx")?.clone();
    let (a, b) = gate_sums(e, call, &state)?;
    let sum = binary(e, "aten::add.Tensor", &a, &b)?;
    let hidden = unary(e, activation, &sum)?;
    Ok(vec![Out::Symbol(hidden)])
}
