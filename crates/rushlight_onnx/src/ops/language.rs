//! Operators of the language that an export carries out itself: on lists and dicts, on what is known of tensors.

use crate::exporter::{Exporter, WRITES_OUTSIDE};
use crate::proto::{Attribute, Name};
use crate::symbol::{Shared, Symbol, WORLDS};
use rushlight_tensor::{DType, Scalar, Tensor};
use rushlight_types::{Fault, Operator, Result, Value};

/// What a call gives, where it is one of the language.
pub(crate) fn call(
    exporter: &mut Exporter<'_>,
    operator: &'static Operator,
    arguments: &[Symbol],
) -> Result<Option<Vec<Symbol>>> {
    let name = operator.name();
    let short = name.rsplit("::").next().unwrap_or(name);
    match (name, arguments) {
        ("prim::Print" | "aten::warn" | "aten::requires_grad_" | "aten::retain_grad", _) => {
            let keeps = arguments.first().cloned();
            let gives = !operator.schema().returns.is_empty();
            Ok(Some(keeps.filter(|_| gives).into_iter().collect()))
        }
        ("aten::__is__" | "aten::__isnot__", [left, right]) => {
            let same = is_none(left) == is_none(right);
            let answer = same == (short == "__is__");
            Ok(Some(vec![Symbol::Known(Value::Bool(answer))]))
        }
        ("aten::wait" | "aten::detach" | "aten::alias" | "aten::lift_fresh", [value]) => {
            Ok(Some(vec![value.clone()]))
        }
        (_, [Symbol::List(list), ..]) => {
            if operator.schema().arguments[0].is_written() && list.depth != exporter.depth() {
                return Err(Fault::runtime(WRITES_OUTSIDE));
            }
            on_list(exporter, short, list, &arguments[1..])
        }
        (_, [Symbol::Dict(dict), ..]) => {
            if operator.schema().arguments[0].is_written() && dict.depth != exporter.depth() {
                return Err(Fault::runtime(WRITES_OUTSIDE));
            }
            on_dict(exporter, short, dict, &arguments[1..]).map(Some)
        }
        (_, [Symbol::Tensor(_), ..]) => on_tensor(exporter, operator, short, arguments),
        ("prim::NumToTensor", [Symbol::Number(number)]) => {
            let value = number.example.as_scalar()?;
            let dtype = value.dtype(exporter.context.default_dtype());
            let mut name = number.name.clone();
            if let Scalar::Float(_) = value {
                name = exporter.cast(&name, dtype)?;
            }
            let example = Tensor::scalar(value, dtype);
            let symbol = exporter.computed_tensor(example, name, crate::symbol::Extent::Fixed);
            if let Symbol::Tensor(cell) = &symbol {
                cell.borrow_mut().number = Some(arguments[0].clone());
            }
            Ok(Some(vec![symbol]))
        }
        _ => Ok(None),
    }
}

fn is_none(symbol: &Symbol) -> bool {
    matches!(symbol, Symbol::Known(Value::None))
}

fn known_int(symbol: Option<&Symbol>, otherwise: i64) -> Result<i64> {
    match symbol {
        None | Some(Symbol::Known(Value::None)) => Ok(otherwise),
        Some(Symbol::Known(value)) => value.as_int(),
        Some(_) => Err(Fault::runtime(
            "the index of a list must be known when the model is exported",
        )),
    }
}

/// A place in a list.
fn place(symbol: Option<&Symbol>, otherwise: i64, length: usize) -> Result<usize> {
    let index = known_int(symbol, otherwise)?;
    let index = if index < 0 {
        index + length as i64
    } else {
        index
    };
    usize::try_from(index)
        .ok()
        .filter(|index| *index < length)
        .ok_or_else(|| Fault::index("list index out of range"))
}

fn on_list(
    exporter: &mut Exporter<'_>,
    short: &str,
    list: &Shared<Vec<Symbol>>,
    rest: &[Symbol],
) -> Result<Option<Vec<Symbol>>> {
    let items = &list.items;
    let length = items.borrow().len();
    let this = || Symbol::List(list.clone());
    let result = match (short, rest) {
        ("len", _) => Symbol::Known(Value::Int(length as i64)),
        ("__getitem__", [index]) => {
            let index = place(Some(index), 0, length)?;
            items.borrow()[index].clone()
        }
        ("_set_item", [index, item]) => {
            let index = place(Some(index), 0, length)?;
            items.borrow_mut()[index] = item.clone();
            this()
        }
        ("append", [item]) => {
            items.borrow_mut().push(item.clone());
            this()
        }
        ("extend" | "add_", [Symbol::List(other)]) => {
            let more = other.items.borrow().clone();
            items.borrow_mut().extend(more);
            match short {
                "extend" => return Ok(Some(Vec::new())),
                _ => this(),
            }
        }
        ("insert", [index, item]) => {
            let at = known_int(Some(index), 0)?;
            let at = if at < 0 { at + length as i64 } else { at };
            let at = at.clamp(0, length as i64) as usize;
            items.borrow_mut().insert(at, item.clone());
            return Ok(Some(Vec::new()));
        }
        ("pop", _) => {
            let index = place(rest.first(), -1, length)?;
            items.borrow_mut().remove(index)
        }
        ("Delete", [index]) => {
            let index = place(Some(index), 0, length)?;
            items.borrow_mut().remove(index);
            return Ok(Some(Vec::new()));
        }
        ("clear", []) => {
            items.borrow_mut().clear();
            return Ok(Some(Vec::new()));
        }
        ("reverse", []) => {
            items.borrow_mut().reverse();
            return Ok(Some(Vec::new()));
        }
        ("copy" | "list", []) => {
            let items = items.borrow().clone();
            exporter.list(items)
        }
        ("add", [Symbol::List(other)]) => {
            let mut all = items.borrow().clone();
            all.extend(other.items.borrow().iter().cloned());
            exporter.list(all)
        }
        ("mul", [Symbol::Known(Value::Int(times))]) => {
            let items = items.borrow();
            let all = (0..*times).flat_map(|_| items.iter().cloned());
            exporter.list(all.collect())
        }
        ("slice", _) => {
            let step = known_int(rest.get(2), 1)?;
            let bound = |symbol: Option<&Symbol>, otherwise: i64| -> Result<i64> {
                let at = known_int(symbol, otherwise)?;
                let at = if at < 0 { at + length as i64 } else { at };
                Ok(at.clamp(0, length as i64))
            };
            if step < 1 {
                return Err(Fault::value(
                    "slices of lists must have a step of one or more",
                ));
            }
            let (start, end) = (bound(rest.first(), 0)?, bound(rest.get(1), i64::MAX)?);
            let items = items.borrow();
            let kept = (start..end).step_by(step as usize);
            exporter.list(kept.map(|index| items[index as usize].clone()).collect())
        }
        _ => return Ok(None),
    };
    Ok(Some(vec![result]))
}

fn on_dict(
    exporter: &mut Exporter<'_>,
    short: &str,
    dict: &Shared<Vec<(Value, Symbol)>>,
    rest: &[Symbol],
) -> Result<Vec<Symbol>> {
    let entries = &dict.items;
    let find = |key: &Symbol| -> Result<Option<usize>> {
        let Symbol::Known(key) = key else {
            return Err(Fault::runtime(
                "keys of dicts must be known when the model is exported",
            ));
        };
        let same = |value: &Value| match (value, key) {
            (Value::Str(a), Value::Str(b)) => a.as_str().ok() == b.as_str().ok(),
            (a, b) => matches!((a.as_scalar(), b.as_scalar()), (Ok(a), Ok(b)) if a == b),
        };
        Ok(entries.borrow().iter().position(|(k, _)| same(k)))
    };
    let result = match (short, rest) {
        ("len", []) => Symbol::Known(Value::Int(entries.borrow().len() as i64)),
        ("__contains__", [key]) => Symbol::Known(Value::Bool(find(key)?.is_some())),
        ("__getitem__", [key]) => match find(key)? {
            Some(at) => entries.borrow()[at].1.clone(),
            None => return Err(Fault::new(rushlight_types::ErrorClass::Key, "no such key")),
        },
        ("get", [key, ..]) => match find(key)? {
            Some(at) => entries.borrow()[at].1.clone(),
            None => rest.get(1).cloned().unwrap_or(Symbol::Known(Value::None)),
        },
        ("_set_item", [Symbol::Known(key), item]) => {
            match find(&rest[0])? {
                Some(at) => entries.borrow_mut()[at].1 = item.clone(),
                None => entries.borrow_mut().push((key.clone(), item.clone())),
            }
            return Ok(Vec::new());
        }
        ("keys", []) => {
            let keys = entries
                .borrow()
                .iter()
                .map(|(key, _)| Symbol::Known(key.clone()))
                .collect();
            exporter.list(keys)
        }
        ("values", []) => {
            let values = entries
                .borrow()
                .iter()
                .map(|(_, item)| item.clone())
                .collect();
            exporter.list(values)
        }
        ("items", []) => {
            let pair = |(key, item): &(Value, Symbol)| {
                Symbol::Tuple(vec![Symbol::Known(key.clone()), item.clone()].into())
            };
            let pairs = entries.borrow().iter().map(pair).collect();
            exporter.list(pairs)
        }
        _ => {
            return Err(Fault::runtime(format!(
                "aten::{short} of a dict cannot be exported to ONNX"
            )));
        }
    };
    Ok(vec![result])
}

/// What tensors are known by, whatever they hold.
const FACTS: &[&str] = &[
    "dim",
    "dtype",
    "device",
    "layout",
    "is_cuda",
    "is_sparse",
    "is_quantized",
    "is_mkldnn",
    "is_meta",
    "is_nested",
    "is_xpu",
    "is_floating_point",
    "is_complex",
    "is_leaf",
    "is_signed",
    "is_contiguous",
    "is_inference",
    "is_conj",
    "is_neg",
    "requires_grad",
    "element_size",
    "type",
    "get_device",
    "is_same_size",
    "is_nonzero_static",
];

/// What makes numbers of tensors.
const NUMBERS: &[&str] = &[
    "Int",
    "Float",
    "Bool",
    "item",
    "IntImplicit",
    "FloatImplicit",
    "ScalarImplicit",
    "is_nonzero",
    "TensorToNum",
];

fn on_tensor(
    exporter: &mut Exporter<'_>,
    operator: &'static Operator,
    short: &str,
    arguments: &[Symbol],
) -> Result<Option<Vec<Symbol>>> {
    let Symbol::Tensor(cell) = &arguments[0] else {
        return Ok(None);
    };
    if short == "size" || short == "sym_size" || short == "len" {
        let rank = cell.borrow().example.rank() as i64;
        let dims = match arguments.get(1) {
            Some(Symbol::Known(dim)) => {
                let dim = dim.as_int()?;
                vec![if dim < 0 { dim + rank } else { dim }]
            }
            Some(_) => return Ok(None),
            None if short == "len" => vec![0],
            None => (0..rank).collect(),
        };
        if dims.iter().any(|dim| !(0..rank).contains(dim)) {
            return Ok(None);
        }
        let mut shape = None;
        let sizes = dims
            .into_iter()
            .map(|dim| size(exporter, &arguments[0], dim, &mut shape));
        let mut sizes: Vec<Symbol> = sizes.collect::<Result<_>>()?;
        let is_list = matches!(
            operator.schema().returns[0].ty,
            rushlight_types::Type::List(_)
        );
        return Ok(Some(vec![match is_list {
            true => exporter.list(sizes),
            false => sizes.remove(0),
        }]));
    }
    if short == "numel" && !exporter.is_known(&arguments[0]) {
        if cell.borrow().is_fixed() {
            let count = cell.borrow().example.numel() as i64;
            return Ok(Some(vec![Symbol::Known(Value::Int(count))]));
        }
        let name = exporter.name_of(&arguments[0])?;
        let count = exporter.apply("Size", &name);
        let example = Value::Int(cell.borrow().example.numel() as i64);
        return Ok(Some(vec![exporter.computed_number(&example, count, None)]));
    }
    if FACTS.contains(&short) {
        let arguments: Vec<Value> = arguments
            .iter()
            .zip(&operator.schema().arguments)
            .map(|(symbol, argument)| exporter.example(symbol, &argument.ty))
            .collect::<Result<_>>()?;
        let results = operator.call_vec(exporter.context, arguments)?;
        return Ok(Some(results.into_iter().map(Symbol::Known).collect()));
    }
    if NUMBERS.contains(&short) && !exporter.is_known(&arguments[0]) {
        let number = cell.borrow().number.clone();
        if let Some(number) = number.filter(|_| short != "Float" && short != "Bool") {
            return Ok(Some(vec![number]));
        }
        return number_of(exporter, short, &arguments[0]).map(|number| Some(vec![number]));
    }
    Ok(None)
}

/// The number in a tensor.
fn number_of(exporter: &mut Exporter<'_>, short: &str, tensor: &Symbol) -> Result<Symbol> {
    let Symbol::Tensor(cell) = tensor else {
        return Err(Fault::internal("a number is made of a tensor"));
    };
    let (example, rank) = {
        let state = cell.borrow();
        (state.example.item()?, state.example.rank())
    };
    let (value, dtype) = match short {
        "Int" | "IntImplicit" => (Value::Int(example.to_i64()), DType::I64),
        "Float" | "FloatImplicit" => (Value::Float(example.to_f64()), DType::F64),
        "Bool" | "is_nonzero" => (Value::Bool(example.to_bool()), DType::Bool),
        _ => match example {
            Scalar::Int(number) => (Value::Int(number), DType::I64),
            Scalar::Bool(bit) => (Value::Bool(bit), DType::Bool),
            other => (Value::Float(other.to_f64()), DType::F64),
        },
    };
    let mut name = exporter.as_dtype(tensor, dtype)?;
    if rank > 0 {
        name = exporter.reshape(&name, &[])?;
    }
    Ok(exporter.computed_number(&value, name, None))
}

/// A size of a tensor: known where it does not vary.
fn size(
    exporter: &mut Exporter<'_>,
    tensor: &Symbol,
    dim: i64,
    shape: &mut Option<Name>,
) -> Result<Symbol> {
    let Symbol::Tensor(cell) = tensor else {
        return Err(Fault::internal("only tensors have sizes"));
    };
    let (fixed, example, elsewhere) = {
        let state = cell.borrow();
        let at = dim as usize;
        let example = state.example.size(at) as i64;
        (state.fixed_size(at), example, state.sizes_elsewhere(at))
    };
    if fixed.is_some() {
        return Ok(Symbol::Known(Value::Int(example)));
    }
    let shape = match shape {
        Some(shape) => shape.clone(),
        None => {
            let name = exporter.name_of(tensor)?;
            shape.insert(exporter.apply("Shape", &name)).clone()
        }
    };
    let index = exporter.int(dim);
    let axis = vec![("axis", Attribute::Int(0))];
    let name = exporter.node("Gather", &[shape, index], axis);
    let worlds: [Option<Value>; WORLDS] = elsewhere;
    Ok(exporter.computed_number(&Value::Int(example), name, Some(worlds)))
}
