//! Normalization.

use super::reduce::reduce;
use super::{Call, Out, Row, one};
use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use crate::symbol::Symbol;
use rushlight_tensor::{DType, Scalar, Tensor};
use rushlight_types::Result;

type Outs = Result<Vec<Out>>;

pub(super) const ROWS: &[Row] = &[
    ("aten::batch_norm", batch_norm),
    ("aten::instance_norm", instance_norm),
    ("aten::layer_norm", layer_norm),
    ("aten::native_layer_norm", layer_norm),
    ("aten::group_norm", group_norm),
    ("aten::rms_norm", rms_norm),
    ("aten::softmax", |e, c| soft(e, c, "Softmax")),
    ("aten::_softmax", |e, c| soft(e, c, "Softmax")),
    ("aten::log_softmax", |e, c| soft(e, c, "LogSoftmax")),
    ("aten::_log_softmax", |e, c| soft(e, c, "LogSoftmax")),
    ("aten::_weight_norm", weight_norm),
];

fn soft(e: &mut Exporter<'_>, call: &Call, kind: &str) -> Outs {
    let input = e.input_as(call, "self", call.result_dtype())?;
    let dim = call.int("dim")?;
    let axis = |axis| vec![("axis", Attribute::Int(axis))];
    if e.opset() >= 13 {
        return one(e.node(kind, &[input], axis(dim)));
    }
    // All axes from that one on count as one: it has to be the last.
    let rank = call.example("self")?.rank() as i64;
    let last = (rank - 1).max(0);
    let dim = if dim < 0 { dim + rank } else { dim }.clamp(0, last);
    if dim == last {
        return one(e.node(kind, &[input], axis(last)));
    }
    let mut order: Vec<i64> = (0..rank).collect();
    order.swap(dim as usize, last as usize);
    let input = e.transpose(&input, order.clone());
    let soft = e.node(kind, &[input], axis(last));
    one(e.transpose(&soft, order))
}

/// A tensor argument of one number for each channel, or a constant of `otherwise`.
fn channels(
    e: &mut Exporter<'_>,
    call: &Call,
    name: &str,
    count: usize,
    otherwise: f64,
) -> Result<Name> {
    match call.get(name) {
        Some(symbol) => e.name_of(&symbol.clone()),
        None => {
            let dtype = call.result_dtype();
            let tensor = Tensor::full(&[count], Scalar::Float(otherwise), dtype)?;
            Ok(e.constant(tensor))
        }
    }
}

fn batch_norm(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let training = call.bool("training")?;
    let input = e.input(call, "input")?;
    let count = match call.get("running_mean") {
        Some(_) => call.example("running_mean")?.numel(),
        None => call.fixed_size("input", 1)?,
    };
    let by_batch = training || call.get("running_mean").is_none();
    if by_batch && e.opset() < 14 {
        return Err(super::unsupported(call.operator.name(), e.opset()));
    }
    let inputs = [
        input,
        channels(e, call, "weight", count, 1.0)?,
        channels(e, call, "bias", count, 0.0)?,
        channels(e, call, "running_mean", count, 0.0)?,
        channels(e, call, "running_var", count, 1.0)?,
    ];
    let mut attributes = vec![
        ("epsilon", Attribute::Float(call.float("eps")?)),
        ("momentum", Attribute::Float(1.0 - call.float("momentum")?)),
    ];
    if e.opset() >= 14 {
        attributes.push(("training_mode", Attribute::Int(i64::from(by_batch))));
    }
    let outputs = if by_batch { 3 } else { 1 };
    one(e
        .nodes("BatchNormalization", &inputs, attributes, outputs)
        .remove(0))
}

fn instance_norm(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let count = match call.get("weight") {
        Some(_) => call.example("weight")?.numel(),
        None => call.fixed_size("input", 1)?,
    };
    let weight = channels(e, call, "weight", count, 1.0)?;
    let bias = channels(e, call, "bias", count, 0.0)?;
    let input = e.input(call, "input")?;
    let epsilon = ("epsilon", Attribute::Float(call.float("eps")?));
    if !call.bool("use_input_stats")? {
        let mean = e.input(call, "running_mean")?;
        let variance = e.input(call, "running_var")?;
        let inputs = [input, weight, bias, mean, variance];
        return one(e.node("BatchNormalization", &inputs, vec![epsilon]));
    }
    one(e.node(
        "InstanceNormalization",
        &[input, weight, bias],
        vec![epsilon],
    ))
}

fn layer_norm(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let axes = call.ints("normalized_shape")?.len() as i64;
    let epsilon = call.float("eps")?;
    let dtype = call.result_dtype();
    let input = e.input(call, "input")?;
    let weight = call.get("weight").cloned();
    let bias = call.get("bias").cloned();
    if e.opset() >= 17 {
        let sizes: Vec<usize> = call
            .ints("normalized_shape")?
            .iter()
            .map(|s| *s as usize)
            .collect();
        let weight = match weight {
            Some(weight) => e.name_of(&weight)?,
            None => e.constant(Tensor::full(&sizes, Scalar::Float(1.0), dtype)?),
        };
        let mut inputs = vec![input, weight];
        if let Some(bias) = bias {
            inputs.push(e.name_of(&bias)?);
        }
        let attributes = vec![
            ("axis", Attribute::Int(-axes)),
            ("epsilon", Attribute::Float(epsilon)),
        ];
        return one(e.node("LayerNormalization", &inputs, attributes));
    }
    let axes: Vec<i64> = (1..=axes).rev().map(|axis| -axis).collect();
    let mean = reduce(e, "ReduceMean", &input, Some(&axes), true)?;
    let away = e.combine("Sub", &input, &mean);
    let two = e.number(2.0, dtype);
    let square = e.combine("Pow", &away, &two);
    let variance = reduce(e, "ReduceMean", &square, Some(&axes), true)?;
    let epsilon = e.number(epsilon, dtype);
    let spread = e.combine("Add", &variance, &epsilon);
    let spread = e.apply("Sqrt", &spread);
    let mut value = e.combine("Div", &away, &spread);
    for (kind, symbol) in [("Mul", weight), ("Add", bias)] {
        if let Some(symbol) = symbol {
            let name = e.name_of(&symbol)?;
            value = e.combine(kind, &value, &name);
        }
    }
    one(value)
}

/// Groups as instances of their own; then the gain and shift of each channel.
fn group_norm(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let groups = call.int("num_groups")?;
    let rank = call.rank("input")?;
    let dtype = call.result_dtype();
    let input = e.input(call, "input")?;
    let rows = e.reshape(&input, &[0, groups, -1])?;
    let count = groups as usize;
    let gain = e.constant(Tensor::full(&[count], Scalar::Float(1.0), dtype)?);
    let shift = e.constant(Tensor::full(&[count], Scalar::Float(0.0), dtype)?);
    let epsilon = vec![("epsilon", Attribute::Float(call.float("eps")?))];
    let rows = e.node("InstanceNormalization", &[rows, gain, shift], epsilon);
    let cell = call.tensor("input")?.clone();
    let shape = e.shape_of(&cell, &input)?;
    let mut value = e.reshape_to(&rows, shape);
    for (kind, name) in [("Mul", "weight"), ("Add", "bias")] {
        let Some(symbol) = call.get(name).cloned() else {
            continue;
        };
        let axes: Vec<i64> = (1..rank as i64 - 1).collect();
        let channels = per_channel(e, &symbol, &axes)?;
        value = e.combine(kind, &value, &channels);
    }
    one(value)
}

/// A vector with dimensions of one behind it; computed now where it is a weight.
fn per_channel(e: &mut Exporter<'_>, symbol: &Symbol, axes: &[i64]) -> Result<Name> {
    let mut shape = vec![-1];
    shape.extend(vec![1; axes.len()]);
    let shape = e.lift(&shape.into())?;
    let column = e.call(
        "aten::reshape",
        &[("self", symbol.clone()), ("shape", shape)],
    )?;
    e.name_of(&column)
}

fn rms_norm(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let axes = call.ints("normalized_shape")?.len() as i64;
    let axes: Vec<i64> = (1..=axes).rev().map(|axis| -axis).collect();
    let dtype = call.result_dtype();
    let epsilon = match (call.get("eps"), dtype) {
        (Some(_), _) => call.float("eps")?,
        (None, DType::F64) => f64::EPSILON,
        (None, DType::F16) => 0.0009765625,
        (None, _) => f64::from(f32::EPSILON),
    };
    let input = e.input(call, "input")?;
    let square = e.combine("Mul", &input, &input);
    let mean = reduce(e, "ReduceMean", &square, Some(&axes), true)?;
    let epsilon = e.number(epsilon, dtype);
    let spread = e.combine("Add", &mean, &epsilon);
    let spread = e.apply("Sqrt", &spread);
    let value = e.combine("Div", &input, &spread);
    one(match call.get("weight") {
        Some(weight) => {
            let weight = e.name_of(&weight.clone())?;
            e.combine("Mul", &value, &weight)
        }
        None => value,
    })
}

fn weight_norm(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let rank = call.rank("v")? as i64;
    let dim = call.int("dim")?;
    let axes: Vec<i64> = (0..rank).filter(|axis| dim == -1 || *axis != dim).collect();
    let (v, g) = (e.input(call, "v")?, e.input(call, "g")?);
    let norm = reduce(e, "ReduceL2", &v, Some(&axes), true)?;
    let unit = e.combine("Div", &v, &norm);
    one(e.combine("Mul", &unit, &g))
}
