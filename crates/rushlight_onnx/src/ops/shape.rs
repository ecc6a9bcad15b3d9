//! Shapes: the same elements laid out otherwise, joined, cut, repeated; and other dtypes.

use super::{Call, Out, Row, dtype_of, one};
use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use crate::symbol::{Cell, Symbol};
use rushlight_tensor::{DType, Tensor};
use rushlight_types::{Result, Value};

type Outs = Result<Vec<Out>>;

pub(super) const ROWS: &[Row] = &[
    ("aten::view", view),
    ("aten::reshape", view),
    ("aten::_unsafe_view", view),
    ("aten::_reshape_alias", view),
    ("aten::view_as", view_as),
    ("aten::reshape_as", view_as),
    ("aten::flatten", flatten),
    ("aten::ravel", |e, c| {
        let input = e.input(c, "self")?;
        one(e.reshape(&input, &[-1])?)
    }),
    ("aten::unflatten", unflatten),
    ("aten::squeeze", squeeze),
    ("aten::unsqueeze", |e, c| {
        let (dim, rank) = (c.int("dim")?, c.rank("self")? as i64);
        let input = e.input(c, "self")?;
        one(e.unsqueeze(&input, &[if dim < 0 { dim + rank + 1 } else { dim }])?)
    }),
    ("aten::t", reorder),
    ("aten::transpose", reorder),
    ("aten::permute", reorder),
    ("aten::movedim", reorder),
    ("aten::moveaxis", reorder),
    ("aten::swapaxes", reorder),
    ("aten::swapdims", reorder),
    ("aten::numpy_T", reorder),
    ("aten::mT", reorder),
    ("aten::expand", expand),
    ("aten::expand_as", |e, c| {
        let other = c.tensor("other")?.clone();
        let name = e.input(c, "other")?;
        let (input, shape) = (e.input(c, "self")?, e.shape_of(&other, &name)?);
        one(e.combine("Expand", &input, &shape))
    }),
    ("aten::broadcast_to", expand),
    ("aten::broadcast_tensors", broadcast_tensors),
    ("aten::repeat", |e, c| tile(e, c, "repeats")),
    ("aten::tile", |e, c| tile(e, c, "dims")),
    ("aten::repeat_interleave", repeat_interleave),
    ("aten::cat", cat),
    ("aten::concat", cat),
    ("aten::concatenate", cat),
    ("aten::stack", stack),
    ("aten::hstack", |e, c| stack_along(e, c, 1)),
    ("aten::vstack", |e, c| stack_along(e, c, 0)),
    ("aten::split", split),
    ("aten::split_with_sizes", split),
    ("aten::unsafe_split", split),
    ("aten::unsafe_split_with_sizes", split),
    ("aten::chunk", chunk),
    ("aten::unsafe_chunk", chunk),
    ("aten::tensor_split", chunk),
    ("aten::unbind", unbind),
    ("aten::narrow", narrow),
    ("aten::slice", slice),
    ("aten::select", select),
    ("aten::diagonal", diagonal),
    ("aten::flip", flip),
    ("aten::roll", roll),
    ("aten::tril", |e, c| triangle(e, c, 0)),
    ("aten::triu", |e, c| triangle(e, c, 1)),
    ("aten::meshgrid", meshgrid),
    ("aten::pixel_shuffle", pixel_shuffle),
    ("aten::pixel_unshuffle", pixel_unshuffle),
    ("aten::channel_shuffle", channel_shuffle),
    ("aten::native_channel_shuffle", channel_shuffle),
    ("aten::contiguous", same),
    ("aten::clone", same),
    ("aten::positive", same),
    ("aten::resolve_conj", same),
    ("aten::resolve_neg", same),
    ("aten::detach_copy", same),
    ("aten::to", retype),
    ("aten::_to_copy", retype),
    ("aten::type_as", retype),
    ("aten::cpu", retype),
    ("aten::_autocast_to_full_precision", retype),
    ("aten::_autocast_to_reduced_precision", retype),
];

fn axis(dim: i64) -> Vec<(&'static str, Attribute)> {
    vec![("axis", Attribute::Int(dim))]
}

/// The value in another variable: no node for what no node changes.
fn same(e: &mut Exporter<'_>, call: &Call) -> Outs {
    one(e.name_of(&call.arguments[0])?)
}

fn retype(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let symbol = call.arguments[0].clone();
    let name = e.name_of(&symbol)?;
    let dtype = call.result_dtype();
    one(match dtype_of(&symbol) == dtype {
        true => name,
        false => e.cast(&name, dtype)?,
    })
}

fn view(e: &mut Exporter<'_>, call: &Call) -> Outs {
    if call.get("dtype").is_some() {
        return Err(call.refuse("memory read as another dtype cannot be exported to ONNX"));
    }
    let sizes = match call.get("size") {
        Some(sizes) => sizes.clone(),
        None => call.arg("shape")?.clone(),
    };
    let input = e.input(call, "self")?;
    let holds_zero = matches!(&sizes, Symbol::List(l)
        if l.items.borrow().iter().any(|s| matches!(s, Symbol::Known(Value::Int(0)))));
    let shape = e.int_list(&sizes)?;
    if holds_zero && e.opset() >= 14 {
        let attributes = vec![("allowzero", Attribute::Int(1))];
        return one(e.node("Reshape", &[input, shape], attributes));
    }
    one(e.reshape_to(&input, shape))
}

fn view_as(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let other = call.tensor("other")?.clone();
    let name = e.input(call, "other")?;
    let (input, shape) = (e.input(call, "self")?, e.shape_of(&other, &name)?);
    one(e.reshape_to(&input, shape))
}

/// The sizes of some dimensions as a list of one dimension.
fn sizes(e: &mut Exporter<'_>, cell: &Cell, name: &Name, from: usize, to: usize) -> Result<Name> {
    let fixed: Option<Vec<i64>> = {
        let state = cell.borrow();
        (from..to)
            .map(|dim| state.fixed_size(dim).map(|s| s as i64))
            .collect()
    };
    match fixed {
        Some(sizes) => e.ints(&sizes),
        None => {
            let shape = e.apply("Shape", name);
            e.cut(&shape, 0, from as i64, to as i64)
        }
    }
}

fn flatten(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let rank = call.rank("self")?;
    let (start, end) = (
        call.dim("start_dim", "self")? as usize,
        call.dim("end_dim", "self")? as usize,
    );
    let input = e.input(call, "self")?;
    if rank == 0 {
        return one(e.reshape(&input, &[-1])?);
    }
    if start == 1 && end + 1 == rank && rank > 1 {
        return one(e.node("Flatten", &[input], axis(1)));
    }
    if start == 0 && end + 1 == rank {
        return one(e.reshape(&input, &[-1])?);
    }
    let cell = call.tensor("self")?.clone();
    let before = sizes(e, &cell, &input, 0, start)?;
    let after = sizes(e, &cell, &input, end + 1, rank)?;
    let middle = e.ints(&[-1])?;
    let shape = e.node("Concat", &[before, middle, after], axis(0));
    one(e.reshape_to(&input, shape))
}

fn unflatten(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let rank = call.rank("self")?;
    let dim = call.dim("dim", "self")? as usize;
    let input = e.input(call, "self")?;
    let cell = call.tensor("self")?.clone();
    let middle = e.int_list(&call.arg("sizes")?.clone())?;
    let before = sizes(e, &cell, &input, 0, dim)?;
    let after = sizes(e, &cell, &input, dim + 1, rank)?;
    let shape = e.node("Concat", &[before, middle, after], axis(0));
    one(e.reshape_to(&input, shape))
}

fn squeeze(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let example = call.example("self")?;
    let rank = example.rank() as i64;
    let asked: Vec<i64> = match call.get("dim") {
        Some(_) => call.ints("dim")?,
        None => (0..rank).collect(),
    };
    let dims = asked
        .into_iter()
        .map(|dim| if dim < 0 { dim + rank } else { dim });
    let dims: Vec<i64> = dims
        .filter(|dim| *dim < rank && example.size(*dim as usize) == 1)
        .collect();
    let input = e.input(call, "self")?;
    match dims.is_empty() {
        true => one(input),
        false => one(e.squeeze(&input, &dims)?),
    }
}

/// Operators that put dimensions in another order: which order is seen from what they do to sizes that all differ.
fn reorder(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let rank = call.rank(&call.operator.schema().arguments[0].name)?;
    let sizes: Vec<usize> = (0..rank).map(|dim| dim + 2).collect();
    let mut values = vec![Value::Tensor(Tensor::zeros(&sizes, DType::Bool)?)];
    for (symbol, argument) in call
        .arguments
        .iter()
        .zip(&call.operator.schema().arguments)
        .skip(1)
    {
        values.push(e.example(symbol, &argument.ty)?);
    }
    let moved = call.operator.call_vec(e.context, values)?;
    let order = moved[0]
        .as_tensor()?
        .sizes()
        .iter()
        .map(|size| *size as i64 - 2);
    let order: Vec<i64> = order.collect();
    let input = e.name_of(&call.arguments[0])?;
    if order.iter().copied().eq(0..rank as i64) {
        return one(input);
    }
    one(e.transpose(&input, order))
}

fn expand(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let Symbol::List(list) = call.arg("size")? else {
        return Err(call.refuse("size is no list"));
    };
    // A size of -1 keeps what there is, as a size of one does.
    let keep = |symbol: &Symbol| match symbol {
        Symbol::Known(Value::Int(-1)) => Symbol::Known(Value::Int(1)),
        other => other.clone(),
    };
    let items = list.items.borrow().iter().map(keep).collect();
    let shape = e.list(items);
    let (input, shape) = (e.input(call, "self")?, e.int_list(&shape)?);
    one(e.combine("Expand", &input, &shape))
}

fn broadcast_tensors(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let items = call.items("tensors")?;
    let mut names = Vec::new();
    for item in &items {
        names.push(e.name_of(item)?);
    }
    let rank = match call.results[0].list_items()?.first() {
        Some(first) => first.as_tensor()?.rank(),
        None => 0,
    };
    // The shape of all together is that of a sum of ones.
    let mut shape = e.ints(&vec![1; rank])?;
    for name in &names {
        let own = e.apply("Shape", name);
        let (left, right) = (e.number(1_i64, DType::I64), own);
        let ones = e.combine("Expand", &left, &shape);
        let both = e.combine("Expand", &ones, &right);
        shape = e.apply("Shape", &both);
    }
    let expanded = names.iter().map(|name| e.combine("Expand", name, &shape));
    Ok(vec![Out::List(expanded.collect())])
}

fn tile(e: &mut Exporter<'_>, call: &Call, name: &str) -> Outs {
    let items = call.items(name)?;
    let rank = call.rank("self")?;
    let mut input = e.input(call, "self")?;
    if items.len() > rank {
        let ones = e.ints(&vec![1; items.len()])?;
        input = e.combine("Expand", &input, &ones);
    }
    let mut repeats = items;
    while repeats.len() < rank {
        repeats.insert(0, Symbol::Known(Value::Int(1)));
    }
    let repeats = e.list(repeats);
    let repeats = e.int_list(&repeats)?;
    one(e.combine("Tile", &input, &repeats))
}

/// A number of copies of each element: a dimension more, repeated and joined.
fn repeat_interleave(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let Some(Symbol::Known(times)) = call.get("repeats").cloned() else {
        return Err(call.refuse("repeats must be an int that is known when the model is exported"));
    };
    let times = times.as_int()?;
    let mut symbol = call.arg("self")?.clone();
    let dim = match call.get("dim") {
        Some(_) => call.dim("dim", "self")?,
        None => {
            let flat = e.lift(&vec![-1_i64].into())?;
            symbol = e.call("aten::reshape", &[("self", symbol), ("shape", flat)])?;
            0
        }
    };
    let known = |number: i64| Symbol::Known(Value::Int(number));
    let apart = e.call(
        "aten::unsqueeze",
        &[("self", symbol.clone()), ("dim", known(dim + 1))],
    )?;
    let Symbol::Tensor(cell) = &apart else {
        return Err(call.refuse("gives no tensor"));
    };
    let rank = cell.borrow().example.rank();
    let mut repeats = vec![1; rank];
    repeats[dim as usize + 1] = times;
    let repeats = e.lift(&repeats.into())?;
    let copies = e.call(
        "aten::repeat",
        &[("self", apart.clone()), ("repeats", repeats)],
    )?;
    let joined = e.call(
        "aten::flatten.using_ints",
        &[
            ("self", copies),
            ("start_dim", known(dim)),
            ("end_dim", known(dim + 1)),
        ],
    )?;
    Ok(vec![Out::Symbol(joined)])
}

fn cat(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let mut names = Vec::new();
    for item in call.items("tensors")? {
        // Empty lists that grow are allowed to have one dimension only.
        let is_nothing = matches!(&item, Symbol::Tensor(c)
            if c.borrow().example.sizes() == [0] && call.result()?.rank() != 1);
        if !is_nothing {
            names.push(e.as_dtype(&item, dtype)?);
        }
    }
    let dim = call.int("dim")?;
    if names.len() == 1 {
        return one(names.remove(0));
    }
    one(e.node("Concat", &names, axis(dim)))
}

fn stack(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let dim = call.int("dim")?;
    let rank = call.result()?.rank() as i64;
    let dim = if dim < 0 { dim + rank } else { dim };
    let mut names = Vec::new();
    for item in call.items("tensors")? {
        let name = e.as_dtype(&item, dtype)?;
        names.push(e.unsqueeze(&name, &[dim])?);
    }
    one(e.node("Concat", &names, axis(dim)))
}

/// Tensors side by side (`dim` 1) or one below another (`dim` 0); rows of numbers have one dimension only.
fn stack_along(e: &mut Exporter<'_>, call: &Call, dim: i64) -> Outs {
    let dtype = call.result_dtype();
    let mut names = Vec::new();
    for item in call.items("tensors")? {
        let rank = match &item {
            Symbol::Tensor(cell) => cell.borrow().example.rank(),
            _ => 0,
        };
        let name = e.as_dtype(&item, dtype)?;
        names.push(match (rank, dim) {
            (0, 0) => e.reshape(&name, &[1, 1])?,
            (0, _) => e.reshape(&name, &[1])?,
            (1, 0) => e.unsqueeze(&name, &[0])?,
            _ => name,
        });
    }
    let along = if call.result()?.rank() == 1 { 0 } else { dim };
    one(e.node("Concat", &names, axis(along)))
}

/// Cuts a tensor into parts of these sizes.
fn parts(e: &mut Exporter<'_>, call: &Call, lengths: &[i64], dim: i64) -> Outs {
    let input = e.input(call, "self")?;
    if lengths.len() == 1 {
        return Ok(vec![Out::List(vec![input])]);
    }
    let lengths_name = e.ints(lengths)?;
    let names = e.nodes("Split", &[input, lengths_name], axis(dim), lengths.len());
    Ok(vec![Out::List(names)])
}

/// The sizes that the parts had on the examples.
fn example_lengths(call: &Call, dim: i64) -> Result<Vec<i64>> {
    let items = call.results[0].list_items()?;
    let size = |item: &Value| Ok(item.as_tensor()?.size(dim as usize) as i64);
    items.iter().map(size).collect()
}

fn split(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dim = call.dim("dim", "self")?;
    let name = ["split_size", "split_sizes"]
        .into_iter()
        .find(|n| call.get(n).is_some());
    let name = name.ok_or_else(|| call.refuse("lacks the sizes"))?;
    let fixed = call.tensor("self")?.borrow().fixed_size(dim as usize);
    let lengths = match (call.arg(name)?, fixed) {
        (Symbol::List(_), _) if name == "split_sizes" || fixed.is_none() => {
            if call.ints(name).is_err() {
                return split_where(e, call, name, dim);
            }
            call.ints(name)?
        }
        (_, Some(_)) => example_lengths(call, dim)?,
        (_, None) => {
            return Err(call.refuse(
                "a dimension whose size varies cannot be cut into a number of parts that varies",
            ));
        }
    };
    parts(e, call, &lengths, dim)
}

/// Parts whose sizes the model computes.
fn split_where(e: &mut Exporter<'_>, call: &Call, name: &str, dim: i64) -> Outs {
    let count = call.items(name)?.len();
    let input = e.input(call, "self")?;
    let lengths = e.int_list(&call.arg(name)?.clone())?;
    let names = e.nodes("Split", &[input, lengths], axis(dim), count);
    Ok(vec![Out::List(names)])
}

fn chunk(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dim = call.dim("dim", "self")?;
    let fixed = call.tensor("self")?.borrow().fixed_size(dim as usize);
    if fixed.is_some() {
        let lengths = example_lengths(call, dim)?;
        return parts(e, call, &lengths, dim);
    }
    if call.get("chunks").is_none() {
        return Err(call.refuse("the dimension that is cut must have a fixed size"));
    }
    // All parts but the last have the same size.
    let count = call.int("chunks")?;
    let input = e.input(call, "self")?;
    let shape = e.apply("Shape", &input);
    let at = e.ints(&[dim])?;
    let size = e.node("Gather", &[shape, at.clone()], axis(0));
    let more = e.ints(&[count - 1])?;
    let rounded = e.combine("Add", &size, &more);
    let count_name = e.ints(&[count])?;
    let length = e.combine("Div", &rounded, &count_name);
    let mut names = Vec::new();
    for part in 0..count {
        let (part_name, next) = (e.ints(&[part])?, e.ints(&[part + 1])?);
        let (start, end) = (
            e.combine("Mul", &length, &part_name),
            e.combine("Mul", &length, &next),
        );
        names.push(e.node(
            "Slice",
            &[input.clone(), start, end, at.clone()],
            Vec::new(),
        ));
    }
    names.truncate(call.results[0].list_items()?.len());
    Ok(vec![Out::List(names)])
}

fn unbind(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dim = call.dim("dim", "self")?;
    let count = call.fixed_size("self", dim as usize)?;
    let input = e.input(call, "self")?;
    let lengths = e.ints(&vec![1; count])?;
    let pieces = match count {
        1 => vec![input],
        _ => e.nodes("Split", &[input, lengths], axis(dim), count),
    };
    let mut names = Vec::new();
    for piece in pieces {
        names.push(e.squeeze(&piece, &[dim])?);
    }
    Ok(vec![Out::List(names)])
}

fn narrow(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dim = call.dim("dim", "self")?;
    let (start, length) = (call.arg("start")?.clone(), call.arg("length")?.clone());
    let input = e.input(call, "self")?;
    let start_name = e.as_list(&start)?;
    let end = match (&start, &length) {
        (Symbol::Known(start), Symbol::Known(length)) if start.as_int()? >= 0 => {
            e.ints(&[start.as_int()? + length.as_int()?])?
        }
        _ => {
            let length = e.as_list(&length)?;
            e.combine("Add", &start_name, &length)
        }
    };
    let at = e.ints(&[dim])?;
    one(e.node("Slice", &[input, start_name, end, at], Vec::new()))
}

fn slice(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dim = call.dim("dim", "self")?;
    let input = e.input(call, "self")?;
    let bound = |e: &mut Exporter<'_>, name: &str, otherwise: i64| match call.get(name) {
        Some(symbol) => e.as_list(&symbol.clone()),
        None => e.ints(&[otherwise]),
    };
    let start = bound(e, "start", 0)?;
    let end = bound(e, "end", i64::MAX)?;
    let at = e.ints(&[dim])?;
    let step = bound(e, "step", 1)?;
    one(e.node("Slice", &[input, start, end, at, step], Vec::new()))
}

/// The elements on a diagonal of two dimensions whose sizes are fixed: places of the matrix as a row.
fn diagonal(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let (first, second) = (call.dim("dim1", "self")?, call.dim("dim2", "self")?);
    let offset = call.int("offset")?;
    let sizes = [first, second].map(|dim| call.fixed_size("self", dim as usize));
    let [rows, columns] = sizes.map(|size| size.map(|size| size as i64));
    let (rows, columns) = (rows?, columns?);
    let (down, right) = ((-offset).max(0), offset.max(0));
    let count = (rows - down).min(columns - right).max(0);
    let places: Vec<i64> = (0..count)
        .map(|i| (i + down) * columns + i + right)
        .collect();
    let rank = call.rank("self")? as i64;
    let mut order: Vec<i64> = (0..rank).filter(|d| *d != first && *d != second).collect();
    let mut shape = vec![0; order.len()];
    shape.push(-1);
    order.extend([first, second]);
    let input = e.input(call, "self")?;
    let turned = e.transpose(&input, order);
    let row = e.reshape(&turned, &shape)?;
    let places = e.ints(&places)?;
    let last = vec![("axis", Attribute::Int(rank - 2))];
    one(e.node("Gather", &[row, places], last))
}

fn select(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dim = call.dim("dim", "self")?;
    let input = e.input(call, "self")?;
    let index = e.input_as(call, "index", DType::I64)?;
    one(e.node("Gather", &[input, index], axis(dim)))
}

fn flip(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let rank = call.rank("self")? as i64;
    let dims = call.ints("dims")?.into_iter();
    let dims: Vec<i64> = dims
        .map(|dim| if dim < 0 { dim + rank } else { dim })
        .collect();
    let input = e.input(call, "self")?;
    let start = e.ints(&vec![-1; dims.len()])?;
    let end = e.ints(&vec![i64::MIN; dims.len()])?;
    let steps = e.ints(&vec![-1; dims.len()])?;
    let at = e.ints(&dims)?;
    one(e.node("Slice", &[input, start, end, at, steps], Vec::new()))
}

fn roll(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let (shifts, dims) = (call.ints("shifts")?, call.ints("dims")?);
    let rank = call.rank("self")? as i64;
    let mut value = e.input(call, "self")?;
    if dims.is_empty() {
        return Err(call.refuse("dims must be given"));
    }
    for (shift, dim) in shifts.into_iter().zip(dims) {
        if shift == 0 {
            continue;
        }
        let dim = if dim < 0 { dim + rank } else { dim };
        // A shift by more than the size goes round; that takes a size that is known.
        let fixed = call.tensor("self")?.borrow().fixed_size(dim as usize);
        let shift = match fixed {
            Some(0) => continue,
            Some(size) => shift.rem_euclid(size as i64),
            None => shift,
        };
        if shift == 0 {
            continue;
        }
        let last = e.cut(&value, dim, -shift, i64::MAX)?;
        let first = e.cut(&value, dim, 0, -shift)?;
        value = e.node("Concat", &[last, first], axis(dim));
    }
    one(value)
}

fn triangle(e: &mut Exporter<'_>, call: &Call, upper: i64) -> Outs {
    if e.opset() < 14 {
        return Err(super::unsupported(call.operator.name(), e.opset()));
    }
    let dtype = call.result_dtype();
    let mut input = e.input(call, "self")?;
    if dtype == DType::Bool {
        input = e.cast(&input, DType::I64)?;
    }
    let diagonal = e.input_as(call, "diagonal", DType::I64)?;
    let attributes = vec![("upper", Attribute::Int(upper))];
    let result = e.node("Trilu", &[input, diagonal], attributes);
    one(match dtype {
        DType::Bool => e.cast(&result, dtype)?,
        _ => result,
    })
}

fn meshgrid(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let items = call.items("tensors")?;
    let by_columns = match call.get("indexing") {
        Some(Symbol::Known(text)) => text.as_str()? == "xy",
        _ => false,
    };
    let rank = items.len();
    let mut rows = Vec::new();
    let mut lengths = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let at = match (by_columns && rank > 1, at) {
            (true, 0) => 1,
            (true, 1) => 0,
            (_, at) => at,
        };
        let name = e.name_of(item)?;
        let flat = e.reshape(&name, &[-1])?;
        lengths.push((at, e.apply("Shape", &flat)));
        let mut shape = vec![1; rank];
        shape[at] = -1;
        rows.push(e.reshape(&flat, &shape)?);
    }
    rushlight_tensor::order::sort_by_key(&mut lengths, |(at, _)| *at);
    let lengths: Vec<Name> = lengths.into_iter().map(|(_, name)| name).collect();
    let shape = e.node("Concat", &lengths, axis(0));
    let grids = rows.iter().map(|row| e.combine("Expand", row, &shape));
    Ok(vec![Out::List(grids.collect())])
}

fn pixel_shuffle(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let factor = call.int("upscale_factor")?;
    if call.rank("self")? != 4 {
        return Err(call.refuse("only tensors of four dimensions can be exported to ONNX"));
    }
    let input = e.input(call, "self")?;
    let attributes = vec![
        ("blocksize", Attribute::Int(factor)),
        ("mode", Attribute::Str("CRD".into())),
    ];
    one(e.node("DepthToSpace", &[input], attributes))
}

fn pixel_unshuffle(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let factor = call.int("downscale_factor")?;
    if call.rank("self")? != 4 {
        return Err(call.refuse("only tensors of four dimensions can be exported to ONNX"));
    }
    let (channels, height, width) = (
        call.fixed_size("self", 1)?,
        call.fixed_size("self", 2)?,
        call.fixed_size("self", 3)?,
    );
    let (channels, height, width) = (
        channels as i64,
        height as i64 / factor,
        width as i64 / factor,
    );
    let input = e.input(call, "self")?;
    let apart = e.reshape(&input, &[-1, channels, height, factor, width, factor])?;
    let moved = e.transpose(&apart, vec![0, 1, 3, 5, 2, 4]);
    one(e.reshape(&moved, &[-1, channels * factor * factor, height, width])?)
}

fn channel_shuffle(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let groups = call.int("groups")?;
    let rank = call.rank("self")?;
    let channels = call.fixed_size("self", 1)? as i64;
    let input = e.input(call, "self")?;
    let cell = call.tensor("self")?.clone();
    let batch = sizes(e, &cell, &input, 0, 1)?;
    let rest = sizes(e, &cell, &input, 2, rank)?;
    let apart = e.ints(&[groups, channels / groups])?;
    let shape = e.node("Concat", &[batch, apart, rest], axis(0));
    let apart = e.reshape_to(&input, shape);
    let mut order: Vec<i64> = (0..=rank as i64).collect();
    order.swap(1, 2);
    let moved = e.transpose(&apart, order);
    let shape = e.apply("Shape", &input);
    one(e.reshape_to(&moved, shape))
}
