//! Losses: differences and probabilities, added up.

use super::reduce::reduce;
use super::{Call, Out, Row, one};
use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use rushlight_tensor::DType;
use rushlight_types::Result;

type Outs = Result<Vec<Out>>;

pub(super) const ROWS: &[Row] = &[
    ("aten::mse_loss", |e, c| {
        let difference = difference(e, c)?;
        let squares = e.combine("Mul", &difference, &difference);
        reduced(e, c, &squares)
    }),
    ("aten::l1_loss", |e, c| {
        let difference = difference(e, c)?;
        let sizes = e.apply("Abs", &difference);
        reduced(e, c, &sizes)
    }),
    (
        "aten::binary_cross_entropy_with_logits",
        cross_entropy_of_logits,
    ),
    ("aten::cross_entropy_loss", |e, c| {
        if c.get("label_smoothing").is_some() && c.float("label_smoothing")? != 0.0 {
            return Err(c.refuse("label_smoothing has no counterpart in ONNX"));
        }
        by_classes(e, c, "SoftmaxCrossEntropyLoss")
    }),
    ("aten::nll_loss", |e, c| {
        by_classes(e, c, "NegativeLogLikelihoodLoss")
    }),
    ("aten::nll_loss2d", |e, c| {
        by_classes(e, c, "NegativeLogLikelihoodLoss")
    }),
    ("aten::nll_loss_nd", |e, c| {
        by_classes(e, c, "NegativeLogLikelihoodLoss")
    }),
];

fn difference(e: &mut Exporter<'_>, call: &Call) -> Result<Name> {
    let dtype = call.result_dtype();
    let input = e.input_as(call, "self", dtype)?;
    let target = e.input_as(call, "target", dtype)?;
    Ok(e.combine("Sub", &input, &target))
}

/// A loss as it is, its mean or its sum.
fn reduced(e: &mut Exporter<'_>, call: &Call, loss: &Name) -> Outs {
    one(match call.int("reduction")? {
        0 => loss.clone(),
        1 => reduce(e, "ReduceMean", loss, None, false)?,
        _ => reduce(e, "ReduceSum", loss, None, false)?,
    })
}

/// `(1 - t) x + (1 + (p - 1) t) softplus(-x)`, times the weights.
fn cross_entropy_of_logits(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let input = e.input_as(call, "self", dtype)?;
    let target = e.input_as(call, "target", dtype)?;
    let all = e.number(1.0, dtype);
    let others = e.combine("Sub", &all, &target);
    let missed = e.combine("Mul", &others, &input);
    let opposite = e.apply("Neg", &input);
    let mut soft = e.apply("Softplus", &opposite);
    if call.get("pos_weight").is_some() {
        let weight = e.input_as(call, "pos_weight", dtype)?;
        let more = e.combine("Sub", &weight, &all);
        let more = e.combine("Mul", &more, &target);
        let by = e.combine("Add", &more, &all);
        soft = e.combine("Mul", &soft, &by);
    }
    let mut loss = e.combine("Add", &missed, &soft);
    if call.get("weight").is_some() {
        let weight = e.input_as(call, "weight", dtype)?;
        loss = e.combine("Mul", &loss, &weight);
    }
    reduced(e, call, &loss)
}

/// Losses of scores of classes.
fn by_classes(e: &mut Exporter<'_>, call: &Call, kind: &str) -> Outs {
    if e.opset() < 12 {
        return Err(super::unsupported(call.operator.name(), e.opset()));
    }
    if call.rank("self")? < 2 {
        return Err(call.refuse("scores without a batch have no counterpart in ONNX"));
    }
    if call.dtype("target")? != DType::I64 {
        return Err(call.refuse("targets that are probabilities have no counterpart in ONNX"));
    }
    let mut inputs = vec![e.input(call, "self")?, e.input(call, "target")?];
    if call.get("weight").is_some() {
        inputs.push(e.input(call, "weight")?);
    }
    let reduction = match call.int("reduction")? {
        0 => "none",
        1 => "mean",
        _ => "sum",
    };
    let attributes = vec![
        ("ignore_index", Attribute::Int(call.int("ignore_index")?)),
        ("reduction", Attribute::Str(reduction.into())),
    ];
    let loss = e.node(kind, &inputs, attributes);
    // Overloads that give the sum of the weights as well have nobody who reads it.
    one(loss)
}
