//! Elements by their places.

use super::{Call, Out, Row, one};
use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use crate::symbol::Symbol;
use rushlight_tensor::DType;
use rushlight_types::{Result, Value};

type Outs = Result<Vec<Out>>;

pub(super) const ROWS: &[Row] = &[
    ("aten::gather", |e, c| at_places(e, c, "index")),
    ("aten::take_along_dim", |e, c| at_places(e, c, "indices")),
    ("aten::index_select", index_select),
    ("aten::embedding", |e, c| {
        let (weight, indices) = (e.input(c, "weight")?, e.input(c, "indices")?);
        one(e.combine("Gather", &weight, &indices))
    }),
    ("aten::index", index),
    ("aten::index_put", index_put),
    ("aten::_index_put_impl", index_put),
    ("aten::scatter", |e, c| scatter(e, c, None)),
    ("aten::scatter_add", |e, c| scatter(e, c, Some("add"))),
    ("aten::nonzero", |e, c| places(e, c, "self")),
    ("aten::nonzero_numpy", |e, c| places(e, c, "self")),
    ("aten::masked_select", masked_select),
    ("aten::index_fill", index_fill),
    ("aten::index_copy", |e, c| along(e, c, "source", None)),
    ("aten::index_add", |e, c| along(e, c, "source", Some("add"))),
    ("aten::take", take),
    ("aten::argwhere", |e, c| places(e, c, "self")),
];

fn axis(dim: i64) -> Vec<(&'static str, Attribute)> {
    vec![("axis", Attribute::Int(dim))]
}

fn at_places(e: &mut Exporter<'_>, call: &Call, index: &str) -> Outs {
    if call.get("dim").is_none() {
        return Err(call.refuse("dim must be given"));
    }
    let dim = call.int("dim")?;
    let input = e.input(call, "self")?;
    let index = e.input_as(call, index, DType::I64)?;
    one(e.node("GatherElements", &[input, index], axis(dim)))
}

fn index_select(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dim = call.dim("dim", "self")?;
    let input = e.input(call, "self")?;
    let index = e.input(call, "index")?;
    one(e.node("Gather", &[input, index], axis(dim)))
}

/// Where the elements are that are not zero: a row for each, or a list of columns.
pub(super) fn places(e: &mut Exporter<'_>, call: &Call, name: &str) -> Outs {
    let input = e.input(call, name)?;
    let columns = e.apply("NonZero", &input);
    if !call.results[0].is_list() {
        return one(e.transpose(&columns, vec![1, 0]));
    }
    let mut names = Vec::new();
    for dim in 0..call.rank(name)? as i64 {
        let row = e.cut(&columns, 0, dim, dim + 1)?;
        names.push(e.squeeze(&row, &[0])?);
    }
    Ok(vec![Out::List(names)])
}

fn masked_select(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let (input, mask) = (call.arg("self")?.clone(), call.arg("mask")?.clone());
    let both = e.list(vec![input, mask]);
    let both = e.call("aten::broadcast_tensors", &[("tensors", both)])?;
    let both = crate::walk::items_of(&both)?;
    let (input, mask) = (e.name_of(&both[0])?, e.name_of(&both[1])?);
    let columns = e.apply("NonZero", &mask);
    let rows = e.transpose(&columns, vec![1, 0]);
    one(e.combine("GatherND", &input, &rows))
}

/// The indices of a call with their dimensions; masks become the places where they hold.
fn indices(e: &mut Exporter<'_>, call: &Call) -> Result<Vec<(usize, Name, usize)>> {
    let mut out = Vec::new();
    let mut dim = 0;
    for item in call.items("indices")? {
        let Symbol::Tensor(cell) = &item else {
            dim += 1;
            continue;
        };
        let (dtype, rank) = {
            let state = cell.borrow();
            (state.example.dtype(), state.example.rank())
        };
        if matches!(dtype, DType::Bool | DType::U8) {
            let mask = e.as_dtype(&item, DType::Bool)?;
            let columns = e.apply("NonZero", &mask);
            for at in 0..rank as i64 {
                let row = e.cut(&columns, 0, at, at + 1)?;
                out.push((dim, e.squeeze(&row, &[0])?, 1));
                dim += 1;
            }
            continue;
        }
        out.push((dim, e.as_dtype(&item, DType::I64)?, rank));
        dim += 1;
    }
    Ok(out)
}

/// Indices of all indexed dimensions in one tensor, one row for each element.
fn rows(e: &mut Exporter<'_>, indices: &[(usize, Name, usize)]) -> Result<Name> {
    let rank = indices.iter().map(|(_, _, rank)| *rank).max().unwrap_or(0);
    if let [(_, name, _)] = indices {
        return e.unsqueeze(name, &[rank as i64]);
    }
    // All have the shape of their sum.
    let mut total = indices[0].1.clone();
    for (_, name, _) in &indices[1..] {
        total = e.combine("Add", &total, name);
    }
    let shape = e.apply("Shape", &total);
    let mut columns = Vec::new();
    for (_, name, _) in indices {
        let whole = e.combine("Expand", name, &shape);
        columns.push(e.unsqueeze(&whole, &[rank as i64])?);
    }
    Ok(e.node("Concat", &columns, axis(-1)))
}

/// The order in which indexed dimensions come first.
fn indexed_first(rank: usize, indices: &[(usize, Name, usize)]) -> Vec<i64> {
    let indexed = indices.iter().map(|(dim, _, _)| *dim);
    let others = (0..rank).filter(|dim| indices.iter().all(|(d, _, _)| d != dim));
    indexed.chain(others).map(|dim| dim as i64).collect()
}

fn is_plain(order: &[i64]) -> bool {
    order.iter().copied().eq(0..order.len() as i64)
}

/// Whether the indexed dimensions stand side by side, so that what they give stays in their place.
fn together(indices: &[(usize, Name, usize)]) -> bool {
    indices.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1)
}

fn index(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let rank = call.rank("self")?;
    let input = e.input(call, "self")?;
    let indices = indices(e, call)?;
    let stays = together(&indices) && {
        // With None between them in the list of indices they are apart.
        let given = call.items("indices")?;
        let tensor = |s: &Symbol| matches!(s, Symbol::Tensor(_));
        let first = given.iter().position(tensor).unwrap_or(0);
        let last = given.iter().rposition(tensor).unwrap_or(0);
        given[first..=last].iter().all(tensor)
    };
    if let [(dim, name, _)] = indices.as_slice() {
        return one(e.node("Gather", &[input, name.clone()], axis(*dim as i64)));
    }
    let order = indexed_first(rank, &indices);
    let data = match is_plain(&order) {
        true => input,
        false => e.transpose(&input, order),
    };
    let rows = rows(e, &indices)?;
    let found = e.combine("GatherND", &data, &rows);
    let first = indices[0].0;
    let taken = indices.iter().map(|(_, _, rank)| *rank).max().unwrap_or(0);
    if !stays || first == 0 {
        return one(found);
    }
    // From the front back to where the indices stand.
    let total = taken + rank - indices.len();
    let mut order: Vec<i64> = (taken..taken + first).map(|dim| dim as i64).collect();
    order.extend(0..taken as i64);
    order.extend((taken + first..total).map(|dim| dim as i64));
    one(e.transpose(&found, order))
}

fn index_put(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.dtype("self")?;
    let rank = call.rank("self")?;
    let input = e.input(call, "self")?;
    let values = e.input_as(call, "values", dtype)?;
    let masks: Vec<Symbol> = call.items("indices")?;
    // One mask and one number: a choice.
    if let [Symbol::Tensor(mask)] = masks.as_slice()
        && mask.borrow().example.dtype() == DType::Bool
        && call.example("values")?.numel() == 1
        && !call.is_set("accumulate")?
    {
        let depth = mask.borrow().example.rank();
        let mut mask = e.name_of(&masks[0])?;
        if depth < rank {
            let axes: Vec<i64> = (depth as i64..rank as i64).collect();
            mask = e.unsqueeze(&mask, &axes)?;
        }
        let number = e.reshape(&values, &[])?;
        return one(e.node("Where", &[mask, number, input], Vec::new()));
    }
    let indices = indices(e, call)?;
    let order = indexed_first(rank, &indices);
    let plain = is_plain(&order);
    let data = match plain {
        true => input,
        false => e.transpose(&input, order.clone()),
    };
    let rows = rows(e, &indices)?;
    // The values in the shape of what is indexed.
    let taken = e.apply("Shape", &rows);
    let taken = e.cut(&taken, 0, 0, -1)?;
    let rest = e.apply("Shape", &data);
    let rest = e.cut(&rest, 0, indices.len() as i64, i64::MAX)?;
    let shape = e.node("Concat", &[taken, rest], axis(0));
    let mut values = values;
    let depth = indices.iter().map(|(_, _, rank)| *rank).max().unwrap_or(0);
    let first = indices[0].0;
    if !plain && together(&indices) && call.rank("values")? > 0 {
        // The values have the order of what indexing gives: the dimensions before the indexed ones come first.
        let total = depth + rank - indices.len();
        let ones = e.ints(&vec![1; total])?;
        values = e.combine("Expand", &values, &ones);
        let mut back: Vec<i64> = (first as i64..(first + depth) as i64).collect();
        back.extend(0..first as i64);
        back.extend((first + depth) as i64..total as i64);
        values = e.transpose(&values, back);
    }
    let values = e.combine("Expand", &values, &shape);
    let mut attributes = Vec::new();
    if call.is_set("accumulate")? {
        if e.opset() < 16 {
            return Err(super::unsupported(call.operator.name(), e.opset()));
        }
        attributes.push(("reduction", Attribute::Str("add".into())));
    }
    let written = e.node("ScatterND", &[data, rows, values], attributes);
    if plain {
        return one(written);
    }
    let mut back = vec![0; rank];
    for (to, from) in order.iter().enumerate() {
        back[*from as usize] = to as i64;
    }
    one(e.transpose(&written, back))
}

fn scatter(e: &mut Exporter<'_>, call: &Call, reduction: Option<&str>) -> Outs {
    let dtype = call.dtype("self")?;
    let dim = call.int("dim")?;
    let input = e.input(call, "self")?;
    let index = e.input(call, "index")?;
    let source = match call.get("src") {
        Some(_) => {
            let source = e.input_as(call, "src", dtype)?;
            let fits = call.example("src")?.sizes() == call.example("index")?.sizes();
            if !fits {
                let shape = e.apply("Shape", &index);
                let rank = call.rank("index")? as i64;
                let zeros = e.ints(&vec![0; rank as usize])?;
                let axes: Vec<i64> = (0..rank).collect();
                let axes = e.ints(&axes)?;
                e.node("Slice", &[source, zeros, shape, axes], Vec::new())
            } else {
                source
            }
        }
        None => {
            let value = e.input_as(call, "value", dtype)?;
            let shape = e.apply("Shape", &index);
            e.combine("Expand", &value, &shape)
        }
    };
    let mut attributes = axis(dim);
    let reduction = match (reduction, call.get("reduce")) {
        (Some(name), _) => Some(name.to_string()),
        (None, Some(Symbol::Known(name))) => match name.as_str()? {
            "add" => Some("add".to_string()),
            "multiply" => Some("mul".to_string()),
            _ => return Err(call.refuse("this reduction cannot be exported to ONNX")),
        },
        _ => None,
    };
    if let Some(name) = reduction {
        if e.opset() < 16 {
            return Err(super::unsupported(call.operator.name(), e.opset()));
        }
        attributes.push(("reduction", Attribute::Str(name)));
    }
    one(e.node("ScatterElements", &[input, index, source], attributes))
}

/// Indices of rows as indices of all their elements.
fn spread_index(e: &mut Exporter<'_>, call: &Call, like: &Name, dim: i64) -> Result<Name> {
    let rank = call.rank("self")?;
    let index = e.input_as(call, "index", DType::I64)?;
    let mut shape = vec![1; rank];
    shape[dim as usize] = -1;
    let index = e.reshape(&index, &shape)?;
    let shape = e.apply("Shape", like);
    Ok(e.combine("Expand", &index, &shape))
}

fn along(e: &mut Exporter<'_>, call: &Call, source: &str, reduction: Option<&str>) -> Outs {
    let dim = call.dim("dim", "self")?;
    let input = e.input(call, "self")?;
    let mut values = e.input_as(call, source, call.dtype("self")?)?;
    if let Some(alpha) = call.get("alpha")
        && !matches!(alpha, Symbol::Known(Value::Int(1)))
    {
        let alpha = e.as_dtype(&alpha.clone(), call.dtype("self")?)?;
        values = e.combine("Mul", &values, &alpha);
    }
    let index = spread_index(e, call, &values, dim)?;
    let mut attributes = axis(dim);
    if let Some(name) = reduction {
        if e.opset() < 16 {
            return Err(super::unsupported(call.operator.name(), e.opset()));
        }
        attributes.push(("reduction", Attribute::Str(name.into())));
    }
    one(e.node("ScatterElements", &[input, index, values], attributes))
}

fn index_fill(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dim = call.dim("dim", "self")?;
    let input = e.input(call, "self")?;
    let index = e.input_as(call, "index", DType::I64)?;
    let rows = e.node("Gather", &[input.clone(), index], axis(dim));
    let shape = e.apply("Shape", &rows);
    let value = e.input_as(call, "value", call.dtype("self")?)?;
    let values = e.combine("Expand", &value, &shape);
    let index = spread_index(e, call, &values, dim)?;
    one(e.node("ScatterElements", &[input, index, values], axis(dim)))
}

fn take(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let input = e.input(call, "self")?;
    let flat = e.reshape(&input, &[-1])?;
    let index = e.input(call, "index")?;
    one(e.node("Gather", &[flat, index], axis(0)))
}
