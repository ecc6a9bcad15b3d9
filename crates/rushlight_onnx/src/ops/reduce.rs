//! Sums, means, extremes and what is made of them.

use super::{Call, Out, Row, one};
use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use crate::symbol::Symbol;
use rushlight_tensor::DType;
use rushlight_types::{Result, Value};

type Outs = Result<Vec<Out>>;

pub(super) const ROWS: &[Row] = &[
    ("aten::sum", |e, c| over(e, c, "ReduceSum")),
    ("aten::mean", |e, c| over(e, c, "ReduceMean")),
    ("aten::prod", |e, c| over(e, c, "ReduceProd")),
    ("aten::logsumexp", |e, c| over(e, c, "ReduceLogSumExp")),
    ("aten::amax", |e, c| over(e, c, "ReduceMax")),
    ("aten::amin", |e, c| over(e, c, "ReduceMin")),
    ("aten::max", |e, c| extreme(e, c, "Max")),
    ("aten::min", |e, c| extreme(e, c, "Min")),
    ("aten::aminmax", |e, c| {
        let mut outs = over(e, c, "ReduceMin")?;
        outs.extend(over(e, c, "ReduceMax")?);
        Ok(outs)
    }),
    ("aten::argmax", |e, c| place(e, c, "ArgMax")),
    ("aten::argmin", |e, c| place(e, c, "ArgMin")),
    ("aten::any", |e, c| truth(e, c, "ReduceMax")),
    ("aten::all", |e, c| truth(e, c, "ReduceMin")),
    ("aten::var", |e, c| Ok(vec![spread(e, c, false)?.0])),
    ("aten::std", |e, c| Ok(vec![spread(e, c, true)?.0])),
    ("aten::var_mean", |e, c| pair(spread(e, c, false)?)),
    ("aten::std_mean", |e, c| pair(spread(e, c, true)?)),
    ("aten::norm", norm),
    ("aten::linalg_vector_norm", norm),
    ("aten::linalg_norm", norm),
    ("aten::frobenius_norm", |e, c| over(e, c, "ReduceL2")),
    ("aten::cumsum", cumsum),
    ("aten::count_nonzero", count),
];

fn pair(pair: (Out, Out)) -> Outs {
    Ok(vec![pair.0, pair.1])
}

/// A reduction over axes, all where there are none.
pub(super) fn reduce(
    e: &mut Exporter<'_>,
    kind: &str,
    name: &Name,
    axes: Option<&[i64]>,
    keep: bool,
) -> Result<Name> {
    let mut inputs = vec![name.clone()];
    let mut attributes = vec![("keepdims", Attribute::Int(i64::from(keep)))];
    if let Some(axes) = axes {
        if kind == "ReduceSum" || e.opset() >= 18 {
            inputs.push(e.ints(axes)?);
        } else {
            attributes.push(("axes", Attribute::Ints(axes.to_vec())));
        }
    }
    Ok(e.node(kind, &inputs, attributes))
}

/// The axes that a call reduces; `None` for all.
fn axes(call: &Call) -> Result<Option<Vec<i64>>> {
    let axes = match call.get("dim") {
        None => return Ok(None),
        Some(_) => call.ints("dim")?,
    };
    Ok(Some(axes).filter(|axes| !axes.is_empty()))
}

fn over(e: &mut Exporter<'_>, call: &Call, kind: &str) -> Outs {
    let input = e.input_as(call, "self", call.result_dtype())?;
    let axes = axes(call)?;
    let keep = call.is_set("keepdim")?;
    one(reduce(e, kind, &input, axes.as_deref(), keep)?)
}

fn extreme(e: &mut Exporter<'_>, call: &Call, kind: &str) -> Outs {
    if call.get("other").is_some() {
        let dtype = call.result_dtype();
        let a = e.input_as(call, "self", dtype)?;
        let b = e.input_as(call, "other", dtype)?;
        return one(e.choose(kind, &a, &b, dtype));
    }
    let input = e.input(call, "self")?;
    if call.get("dim").is_none() {
        return one(reduce(e, &format!("Reduce{kind}"), &input, None, false)?);
    }
    let (dim, keep) = (call.int("dim")?, call.bool("keepdim")?);
    let values = reduce(e, &format!("Reduce{kind}"), &input, Some(&[dim]), keep)?;
    let attributes = vec![
        ("axis", Attribute::Int(dim)),
        ("keepdims", Attribute::Int(i64::from(keep))),
        ("select_last_index", Attribute::Int(0)),
    ];
    let places = e.node(&format!("Arg{kind}"), &[input], attributes);
    Ok(vec![Out::Name(values), Out::Name(places)])
}

fn place(e: &mut Exporter<'_>, call: &Call, kind: &str) -> Outs {
    let mut input = e.input(call, "self")?;
    let mut keep = call.is_set("keepdim")?;
    let dim = match call.get("dim") {
        Some(_) => call.int("dim")?,
        None => {
            input = e.reshape(&input, &[-1])?;
            keep = false;
            0
        }
    };
    let attributes = vec![
        ("axis", Attribute::Int(dim)),
        ("keepdims", Attribute::Int(i64::from(keep))),
        ("select_last_index", Attribute::Int(0)),
    ];
    one(e.node(kind, &[input], attributes))
}

/// Whether any or all elements are true: the largest or smallest of them as numbers.
fn truth(e: &mut Exporter<'_>, call: &Call, kind: &str) -> Outs {
    let input = e.input_as(call, "self", DType::Bool)?;
    let input = e.cast(&input, DType::I32)?;
    let axes = axes(call)?;
    let keep = call.is_set("keepdim")?;
    let result = reduce(e, kind, &input, axes.as_deref(), keep)?;
    one(e.cast(&result, DType::Bool)?)
}

/// Variance or deviation, and mean.
fn spread(e: &mut Exporter<'_>, call: &Call, root: bool) -> Result<(Out, Out)> {
    let dtype = call.result_dtype();
    let axes = axes(call)?;
    let keep = call.is_set("keepdim")?;
    let correction = match (call.get("correction"), call.get("unbiased")) {
        (Some(_), _) => call.float("correction")?,
        (None, Some(_)) if !call.bool("unbiased")? => 0.0,
        _ => 1.0,
    };
    let symbol = call.arg("self")?.clone();
    let input = e.name_of(&symbol)?;
    let mean = reduce(e, "ReduceMean", &input, axes.as_deref(), true)?;
    let shown = match keep {
        true => mean.clone(),
        false => reduce(e, "ReduceMean", &input, axes.as_deref(), false)?,
    };
    let away = e.combine("Sub", &input, &mean);
    let square = e.combine("Mul", &away, &away);
    let mut variance = reduce(e, "ReduceMean", &square, axes.as_deref(), keep)?;
    if correction != 0.0 {
        // From the mean of the squares to their sum by one less.
        let cell = call.tensor("self")?.clone();
        let shape = e.shape_of(&cell, &input)?;
        let shape = match &axes {
            Some(axes) => {
                let axes = e.ints(axes)?;
                e.node("Gather", &[shape, axes], vec![("axis", Attribute::Int(0))])
            }
            None => shape,
        };
        let count = reduce(e, "ReduceProd", &shape, None, false)?;
        let count = e.cast(&count, dtype)?;
        let all = e.combine("Mul", &variance, &count);
        let fewer = e.number(correction, dtype);
        let fewer = e.combine("Sub", &count, &fewer);
        variance = e.combine("Div", &all, &fewer);
    }
    if root {
        variance = e.apply("Sqrt", &variance);
    }
    Ok((Out::Name(variance), Out::Name(shown)))
}

fn norm(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let order = match (call.get("p"), call.get("ord")) {
        (Some(Symbol::Known(p)), _) | (None, Some(Symbol::Known(p))) => match p {
            Value::Str(text) if text.as_str()? == "fro" => 2.0,
            p => p.as_scalar()?.to_f64(),
        },
        (None, None) => 2.0,
        _ => return Err(call.refuse("the order of a norm must be known")),
    };
    let dtype = call.result_dtype();
    let input = e.input_as(call, "self", dtype)?;
    let axes = axes(call)?;
    let keep = call.is_set("keepdim")?;
    let kind = match order {
        1.0 => Some("ReduceL1"),
        2.0 => Some("ReduceL2"),
        _ => None,
    };
    if let Some(kind) = kind {
        return one(reduce(e, kind, &input, axes.as_deref(), keep)?);
    }
    let size = e.apply("Abs", &input);
    if order.is_infinite() {
        let kind = if order > 0.0 {
            "ReduceMax"
        } else {
            "ReduceMin"
        };
        return one(reduce(e, kind, &size, axes.as_deref(), keep)?);
    }
    let exponent = e.number(order, dtype);
    let powers = e.combine("Pow", &size, &exponent);
    let sum = reduce(e, "ReduceSum", &powers, axes.as_deref(), keep)?;
    let inverse = e.number(1.0 / order, dtype);
    one(e.combine("Pow", &sum, &inverse))
}

fn cumsum(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let input = e.input_as(call, "self", call.result_dtype())?;
    let axis = e.number(call.int("dim")?, DType::I32);
    one(e.combine("CumSum", &input, &axis))
}

fn count(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let input = e.input_as(call, "self", DType::Bool)?;
    let input = e.cast(&input, DType::I64)?;
    let axes = axes(call)?;
    one(reduce(e, "ReduceSum", &input, axes.as_deref(), false)?)
}
