//! Tensors that are made: of sizes, of ranges, at random.

use super::{Call, Out, Row, one};
use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use crate::symbol::Symbol;
use rushlight_tensor::{DType, Scalar, Tensor};
use rushlight_types::{Result, Value};

type Outs = Result<Vec<Out>>;

pub(super) const ROWS: &[Row] = &[
    ("aten::zeros", |e, c| filled(e, c, 0.0)),
    ("aten::ones", |e, c| filled(e, c, 1.0)),
    ("aten::empty", |e, c| filled(e, c, 0.0)),
    ("aten::new_zeros", |e, c| filled(e, c, 0.0)),
    ("aten::new_ones", |e, c| filled(e, c, 1.0)),
    ("aten::new_empty", |e, c| filled(e, c, 0.0)),
    ("aten::zeros_like", |e, c| like(e, c, 0.0)),
    ("aten::ones_like", |e, c| like(e, c, 1.0)),
    ("aten::empty_like", |e, c| like(e, c, 0.0)),
    ("aten::full", full),
    ("aten::new_full", full),
    ("aten::full_like", full_like),
    ("aten::scalar_tensor", |e, c| {
        one(e.as_dtype(&c.arguments[0], c.result_dtype())?)
    }),
    ("prim::NumToTensor", |e, c| {
        one(e.as_dtype(&c.arguments[0], c.result_dtype())?)
    }),
    ("aten::tensor", tensor),
    ("aten::as_tensor", tensor),
    ("aten::arange", arange),
    ("aten::linspace", linspace),
    ("aten::eye", eye),
    ("aten::one_hot", one_hot),
    ("aten::rand", |e, c| random(e, c, "RandomUniform")),
    ("aten::randn", |e, c| random(e, c, "RandomNormal")),
    ("aten::rand_like", |e, c| {
        random_like(e, c, "RandomUniformLike")
    }),
    ("aten::randn_like", |e, c| {
        random_like(e, c, "RandomNormalLike")
    }),
    ("aten::dropout", dropout),
    ("aten::feature_dropout", dropout),
    ("aten::alpha_dropout", dropout),
    ("aten::bernoulli", bernoulli),
];

fn scalar(number: f64, dtype: DType) -> Result<Tensor> {
    Tensor::full(&[1], Scalar::Float(number), dtype)
}

/// A tensor of one number in the sizes of the call.
fn filled(e: &mut Exporter<'_>, call: &Call, number: f64) -> Outs {
    let dtype = call.result_dtype();
    let shape = e.int_list(&call.arg("size")?.clone())?;
    let value = vec![("value", Attribute::Tensor(scalar(number, dtype)?))];
    one(e.node("ConstantOfShape", &[shape], value))
}

fn like(e: &mut Exporter<'_>, call: &Call, number: f64) -> Outs {
    let dtype = call.result_dtype();
    let cell = call.tensor("self")?.clone();
    let name = e.input(call, "self")?;
    let shape = e.shape_of(&cell, &name)?;
    let value = vec![("value", Attribute::Tensor(scalar(number, dtype)?))];
    one(e.node("ConstantOfShape", &[shape], value))
}

fn full(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let value = e.input_as(call, "fill_value", call.result_dtype())?;
    let shape = e.int_list(&call.arg("size")?.clone())?;
    one(e.combine("Expand", &value, &shape))
}

fn full_like(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let value = e.input_as(call, "fill_value", call.result_dtype())?;
    let cell = call.tensor("self")?.clone();
    let name = e.input(call, "self")?;
    let shape = e.shape_of(&cell, &name)?;
    one(e.combine("Expand", &value, &shape))
}

fn tensor(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    fn build(e: &mut Exporter<'_>, symbol: &Symbol, dtype: DType) -> Result<Name> {
        let Symbol::List(list) = symbol else {
            return e.as_dtype(symbol, dtype);
        };
        let items = list.items.borrow().clone();
        let mut rows = Vec::new();
        for item in &items {
            let row = build(e, item, dtype)?;
            rows.push(e.unsqueeze(&row, &[0])?);
        }
        Ok(e.node("Concat", &rows, vec![("axis", Attribute::Int(0))]))
    }
    one(build(e, &call.arguments[0], dtype)?)
}

fn arange(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let work = match dtype {
        DType::F32 | DType::F64 | DType::I32 | DType::I64 => dtype,
        dtype if dtype.is_float() => DType::F32,
        _ => DType::I64,
    };
    let bound = |e: &mut Exporter<'_>, name: &str, otherwise: i64| match call.get(name) {
        Some(symbol) => e.as_dtype(&symbol.clone(), work),
        None => Ok(e.number(otherwise, work)),
    };
    let (start, end, step) = (
        bound(e, "start", 0)?,
        bound(e, "end", 0)?,
        bound(e, "step", 1)?,
    );
    let range = e.node("Range", &[start, end, step], Vec::new());
    one(match work == dtype {
        true => range,
        false => e.cast(&range, dtype)?,
    })
}

fn linspace(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let (start, end) = (
        e.input_as(call, "start", dtype)?,
        e.input_as(call, "end", dtype)?,
    );
    let steps = e.input_as(call, "steps", DType::I64)?;
    let (zero, step) = (e.int(0), e.int(1));
    let numbers = e.node("Range", &[zero, steps.clone(), step.clone()], Vec::new());
    let numbers = e.cast(&numbers, dtype)?;
    let last = e.combine("Sub", &steps, &step);
    let last = e.cast(&last, dtype)?;
    let way = e.combine("Sub", &end, &start);
    let way = e.combine("Div", &way, &last);
    let way = e.combine("Mul", &numbers, &way);
    one(e.combine("Add", &start, &way))
}

fn eye(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let rows = e.as_list(&call.arg("n")?.clone())?;
    let columns = match call.get("m") {
        Some(columns) => e.as_list(&columns.clone())?,
        None => rows.clone(),
    };
    let shape = e.node(
        "Concat",
        &[rows, columns],
        vec![("axis", Attribute::Int(0))],
    );
    let value = vec![(
        "value",
        Attribute::Tensor(scalar(0.0, call.result_dtype())?),
    )];
    let zeros = e.node("ConstantOfShape", &[shape], value);
    one(e.apply("EyeLike", &zeros))
}

fn one_hot(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let input = e.input(call, "self")?;
    if matches!(call.get("num_classes"), Some(Symbol::Known(Value::Int(-1)))) {
        return Err(call.refuse("num_classes must be given"));
    }
    let depth = e.as_list(&call.arg("num_classes")?.clone())?;
    let values = e.ints(&[0, 1])?;
    let attributes = vec![("axis", Attribute::Int(-1))];
    one(e.node("OneHot", &[input, depth, values], attributes))
}

fn code(dtype: DType) -> Attribute {
    Attribute::Int(crate::proto::data_type(dtype).unwrap_or(1))
}

fn random(e: &mut Exporter<'_>, call: &Call, kind: &str) -> Outs {
    let dtype = call.result_dtype();
    let size = call.arg("size")?.clone();
    if let Ok(sizes) = call.ints("size") {
        let attributes = vec![("dtype", code(dtype)), ("shape", Attribute::Ints(sizes))];
        return one(e.node(kind, &[], attributes));
    }
    let shape = e.int_list(&size)?;
    let value = vec![("value", Attribute::Tensor(scalar(0.0, dtype)?))];
    let zeros = e.node("ConstantOfShape", &[shape], value);
    one(e.node(
        &format!("{kind}Like"),
        &[zeros],
        vec![("dtype", code(dtype))],
    ))
}

fn random_like(e: &mut Exporter<'_>, call: &Call, kind: &str) -> Outs {
    let input = e.input(call, "self")?;
    one(e.node(kind, &[input], vec![("dtype", code(call.result_dtype()))]))
}

fn dropout(e: &mut Exporter<'_>, call: &Call) -> Outs {
    // Forms in place call it otherwise.
    let name = if call.get("self").is_some() {
        "self"
    } else {
        "input"
    };
    let input = e.input(call, name)?;
    if !call.bool("train")? {
        return one(input);
    }
    if call.name != "aten::dropout" {
        return Err(super::unsupported(call.operator.name(), e.opset()));
    }
    let ratio = e.number(call.float("p")?, DType::F32);
    let training = e.number(true, DType::Bool);
    one(e
        .nodes("Dropout", &[input, ratio, training], Vec::new(), 2)
        .remove(0))
}

fn bernoulli(e: &mut Exporter<'_>, call: &Call) -> Outs {
    if e.opset() < 15 {
        return Err(super::unsupported(call.operator.name(), e.opset()));
    }
    let input = e.input(call, "self")?;
    one(e.apply("Bernoulli", &input))
}
