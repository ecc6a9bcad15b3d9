//! Products of matrices, and attention.

use super::reduce::reduce;
use super::{Call, Out, Row, one};
use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use crate::symbol::Symbol;
use rushlight_types::{Result, Value};

type Outs = Result<Vec<Out>>;

pub(super) const ROWS: &[Row] = &[
    ("aten::linear", linear),
    ("aten::matmul", |e, c| product(e, c, "self", "other")),
    ("aten::cdist", distances),
    ("aten::_cdist_forward", distances),
    ("aten::mm", |e, c| product(e, c, "self", "mat2")),
    ("aten::bmm", |e, c| product(e, c, "self", "mat2")),
    ("aten::mv", |e, c| product(e, c, "self", "vec")),
    ("aten::dot", |e, c| product(e, c, "self", "tensor")),
    ("aten::addmm", addmm),
    ("aten::baddbmm", |e, c| added(e, c, "batch1", "batch2")),
    ("aten::addmv", |e, c| added(e, c, "mat", "vec")),
    ("aten::outer", outer),
    ("aten::ger", outer),
    ("aten::einsum", einsum),
    ("aten::scaled_dot_product_attention", attention),
    ("aten::bilinear", bilinear),
    ("aten::cosine_similarity", cosine_similarity),
];

/// The tensor with its two dimensions swapped; computed now where it is a weight.
/// The norms of the differences of all rows of one matrix and all of the other.
fn distances(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let (p, dtype) = (call.float("p")?, call.result_dtype());
    let (x, y) = (
        e.input_as(call, "x1", dtype)?,
        e.input_as(call, "x2", dtype)?,
    );
    let (rows, columns) = (e.unsqueeze(&x, &[-2])?, e.unsqueeze(&y, &[-3])?);
    let difference = e.combine("Sub", &rows, &columns);
    let kind = match p {
        1.0 => Some("ReduceL1"),
        2.0 => Some("ReduceL2"),
        _ => None,
    };
    if let Some(kind) = kind {
        return one(reduce(e, kind, &difference, Some(&[-1]), false)?);
    }
    let sizes = e.apply("Abs", &difference);
    if p.is_infinite() {
        return one(reduce(e, "ReduceMax", &sizes, Some(&[-1]), false)?);
    }
    if p == 0.0 {
        let none = e.number(0.0, dtype);
        let more = e.combine("Greater", &sizes, &none);
        let more = e.cast(&more, dtype)?;
        return one(reduce(e, "ReduceSum", &more, Some(&[-1]), false)?);
    }
    let (power, root) = (e.number(p, dtype), e.number(1.0 / p, dtype));
    let powers = e.combine("Pow", &sizes, &power);
    let sum = reduce(e, "ReduceSum", &powers, Some(&[-1]), false)?;
    one(e.combine("Pow", &sum, &root))
}

fn swapped(e: &mut Exporter<'_>, symbol: &Symbol) -> Result<Name> {
    let swapped = e.call("aten::t", &[("self", symbol.clone())])?;
    e.name_of(&swapped)
}

fn linear(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let weight = call.arg("weight")?.clone();
    let bias = call.get("bias").cloned();
    if call.rank("weight")? == 1 {
        let (input, weight) = (e.input(call, "input")?, e.name_of(&weight)?);
        let product = e.combine("MatMul", &input, &weight);
        return one(match bias {
            Some(bias) => {
                let bias = e.name_of(&bias)?;
                e.combine("Add", &product, &bias)
            }
            None => product,
        });
    }
    match bias {
        Some(bias) if call.rank("input")? == 2 => {
            let inputs = [
                e.input(call, "input")?,
                e.name_of(&weight)?,
                e.name_of(&bias)?,
            ];
            let attributes = vec![
                ("alpha", Attribute::Float(1.0)),
                ("beta", Attribute::Float(1.0)),
                ("transB", Attribute::Int(1)),
            ];
            one(e.node("Gemm", &inputs, attributes))
        }
        bias => {
            let weight = swapped(e, &weight)?;
            let input = e.input(call, "input")?;
            let product = e.combine("MatMul", &input, &weight);
            one(match bias {
                Some(bias) => {
                    let bias = e.name_of(&bias)?;
                    e.combine("Add", &bias, &product)
                }
                None => product,
            })
        }
    }
}

fn product(e: &mut Exporter<'_>, call: &Call, left: &str, right: &str) -> Outs {
    let (left, right) = (e.input(call, left)?, e.input(call, right)?);
    one(e.combine("MatMul", &left, &right))
}

fn is_one(symbol: &Symbol) -> bool {
    matches!(symbol, Symbol::Known(value) if value.as_scalar().is_ok_and(|n| n.to_f64() == 1.0))
}

fn addmm(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let (beta, alpha) = (call.arg("beta")?, call.arg("alpha")?);
    if !matches!((beta, alpha), (Symbol::Known(_), Symbol::Known(_))) {
        return added(e, call, "mat1", "mat2");
    }
    let inputs = [
        e.input(call, "mat1")?,
        e.input(call, "mat2")?,
        e.input(call, "self")?,
    ];
    let attributes = vec![
        ("alpha", Attribute::Float(call.float("alpha")?)),
        ("beta", Attribute::Float(call.float("beta")?)),
    ];
    one(e.node("Gemm", &inputs, attributes))
}

/// `beta * self + alpha * (left @ right)`.
fn added(e: &mut Exporter<'_>, call: &Call, left: &str, right: &str) -> Outs {
    let dtype = call.result_dtype();
    let (left, right) = (e.input(call, left)?, e.input(call, right)?);
    let mut product = e.combine("MatMul", &left, &right);
    let mut start = e.input(call, "self")?;
    let (beta, alpha) = (call.arg("beta")?.clone(), call.arg("alpha")?.clone());
    if !is_one(&alpha) {
        let alpha = e.as_dtype(&alpha, dtype)?;
        product = e.combine("Mul", &product, &alpha);
    }
    if !is_one(&beta) {
        let beta = e.as_dtype(&beta, dtype)?;
        start = e.combine("Mul", &start, &beta);
    }
    one(e.combine("Add", &start, &product))
}

fn outer(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let (left, right) = (e.input(call, "self")?, e.input(call, "vec2")?);
    let column = e.unsqueeze(&left, &[1])?;
    one(e.combine("Mul", &column, &right))
}

fn einsum(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let equation = call.known("equation")?.as_str()?.to_string();
    let mut names = Vec::new();
    for item in call.items("tensors")? {
        names.push(e.name_of(&item)?);
    }
    one(e.node(
        "Einsum",
        &names,
        vec![("equation", Attribute::Str(equation))],
    ))
}

/// Attention written out: products, the mask, weights that add up to one.
fn attention(e: &mut Exporter<'_>, call: &Call) -> Outs {
    if call.float("dropout_p")? != 0.0 {
        return Err(call.refuse("dropout cannot be exported to ONNX"));
    }
    if call.is_set("enable_gqa")? {
        return Err(call.refuse("enable_gqa cannot be exported to ONNX"));
    }
    let dtype = call.result_dtype();
    let rank = call.rank("key")? as i64;
    let query = e.input(call, "query")?;
    let (key, value) = (e.input(call, "key")?, e.input(call, "value")?);
    let width = call
        .tensor("query")?
        .borrow()
        .fixed_size(call.rank("query")? - 1);
    // Both factors take the square root of the scale, so that their product stays in range.
    let root = match (call.get("scale"), width) {
        (Some(_), _) => {
            let scale = call.float("scale")?;
            e.number(scale.sqrt(), dtype)
        }
        (None, Some(width)) => e.number((width as f64).powf(-0.25), dtype),
        (None, None) => {
            let shape = e.apply("Shape", &query);
            let width = e.cut(&shape, 0, -1, i64::MAX)?;
            let width = e.cast(&width, dtype)?;
            let (root, unit) = (e.apply("Sqrt", &width), e.number(1.0, dtype));
            let scale = e.combine("Div", &unit, &root);
            e.apply("Sqrt", &scale)
        }
    };
    let mut order: Vec<i64> = (0..rank).collect();
    order.swap(rank as usize - 1, rank as usize - 2);
    let turned = e.transpose(&key, order);
    let query_scaled = e.combine("Mul", &query, &root);
    let key_scaled = e.combine("Mul", &turned, &root);
    let mut scores = e.combine("MatMul", &query_scaled, &key_scaled);
    let mut can_be_empty = false;
    if call.bool("is_causal")? {
        let mask = causal_mask(e, call, &query, &key)?;
        let (zero, hidden) = (e.number(0.0, dtype), e.number(f64::NEG_INFINITY, dtype));
        let mask = e.node("Where", &[mask, zero, hidden], Vec::new());
        scores = e.combine("Add", &scores, &mask);
    } else if let Some(mask) = call.get("attn_mask").cloned() {
        let mut name = e.name_of(&mask)?;
        if super::dtype_of(&mask) == rushlight_tensor::DType::Bool {
            can_be_empty = true;
            let (zero, hidden) = (e.number(0.0, dtype), e.number(f64::NEG_INFINITY, dtype));
            name = e.node("Where", &[name, zero, hidden], Vec::new());
        }
        scores = e.combine("Add", &scores, &name);
    }
    let attributes = vec![("axis", Attribute::Int(-1))];
    let mut weights = e.node("Softmax", &[scores], attributes);
    if can_be_empty {
        // Where nothing may be looked at, nothing is seen.
        let nan = e.apply("IsNaN", &weights);
        let zero = e.number(0.0, dtype);
        weights = e.node("Where", &[nan, zero, weights], Vec::new());
    }
    one(e.combine("MatMul", &weights, &value))
}

/// Which keys a query may look at: those at its own place and before.
fn causal_mask(e: &mut Exporter<'_>, call: &Call, query: &Name, key: &Name) -> Result<Name> {
    let mut lengths = Vec::new();
    for (name, tensor) in [(query, "query"), (key, "key")] {
        let dim = call.rank(tensor)? - 2;
        let fixed = call.tensor(tensor)?.borrow().fixed_size(dim);
        lengths.push(match fixed {
            Some(size) => e.int(size as i64),
            None => {
                let shape = e.apply("Shape", name);
                let at = e.int(-2);
                e.node("Gather", &[shape, at], vec![("axis", Attribute::Int(0))])
            }
        });
    }
    let (zero, step) = (e.int(0), e.int(1));
    let mut ranges = Vec::new();
    for length in lengths {
        ranges.push(e.node("Range", &[zero.clone(), length, step.clone()], Vec::new()));
    }
    let rows = e.unsqueeze(&ranges[0], &[1])?;
    Ok(e.combine("GreaterOrEqual", &rows, &ranges[1]))
}

fn bilinear(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let inputs = [
        e.input(call, "input1")?,
        e.input(call, "weight")?,
        e.input(call, "input2")?,
    ];
    let equation = vec![("equation", Attribute::Str("...i,kij,...j->...k".into()))];
    let product = e.node("Einsum", &inputs, equation);
    one(match call.get("bias") {
        Some(bias) => {
            let bias = e.name_of(&bias.clone())?;
            e.combine("Add", &product, &bias)
        }
        None => product,
    })
}

fn cosine_similarity(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let (a, b) = (call.arg("x1")?.clone(), call.arg("x2")?.clone());
    let dim = call.arg("dim")?.clone();
    let dims = e.list(vec![dim]);
    let least = call.arg("eps")?.clone();
    let unit = |e: &mut Exporter<'_>, x: &Symbol| -> Result<Symbol> {
        let length = e.call(
            "aten::linalg_vector_norm",
            &[
                ("self", x.clone()),
                ("dim", dims.clone()),
                ("keepdim", Symbol::Known(Value::Bool(true))),
            ],
        )?;
        let length = e.call(
            "aten::clamp_min",
            &[("self", length), ("min", least.clone())],
        )?;
        e.call(
            "aten::div.Tensor",
            &[("self", x.clone()), ("other", length)],
        )
    };
    let (a, b) = (unit(e, &a)?, unit(e, &b)?);
    let product = e.call("aten::mul.Tensor", &[("self", a), ("other", b)])?;
    let sum = e.call("aten::sum.dim_IntList", &[("self", product), ("dim", dims)])?;
    Ok(vec![Out::Symbol(sum)])
}
