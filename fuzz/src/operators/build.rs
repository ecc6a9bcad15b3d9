//! From the description of a call to its values.

use std::sync::Arc;

use rushlight::tensor::{DType, Device, Element, Layout, Quantizer, Scalar, Tensor, dispatch};
use rushlight::types::{
    Context, Dict, Fault, Future, Key, Operator, OperatorTable, Type, Value, shared_generator,
};

use super::arg::{Arg, Call, Quantization, TensorArg, View};

/// The most elements a storage is made with.
const LONGEST: usize = 1 << 20;

/// A context for one call.
pub fn context() -> Context {
    Context::silent()
}

/// The values of a call's arguments.
pub fn values(
    table: &OperatorTable,
    operator: &'static Operator,
    args: &[Arg],
) -> Result<Vec<Value>, String> {
    let arguments = &operator.schema().arguments;
    let mut values = vec![Value::None; args.len()];
    // Arguments that are others come last.
    for later in [false, true] {
        for (index, arg) in args.iter().enumerate() {
            if matches!(arg, Arg::Same(_) | Arg::View(..)) != later {
                continue;
            }
            let ty = arguments.get(index).map_or(Type::Any, |a| a.ty.runtime());
            let size = arguments.get(index).and_then(|argument| argument.list_size);
            values[index] = match arg {
                Arg::Same(other) => values.get(*other).cloned().unwrap_or_default(),
                Arg::View(other, view) => view_of(values.get(*other), view)?,
                // A single element stands for as many as the schema says.
                Arg::Number(number) if matches!(ty, Type::List(_)) && size.is_some() => {
                    let items = vec![Arg::Number(*number); size.unwrap_or(1) as usize];
                    value(table, &Arg::List(items), &ty)?
                }
                arg => value(table, arg, &ty)?,
            };
        }
    }
    Ok(values)
}

fn view_of(value: Option<&Value>, view: &View) -> Result<Value, String> {
    let Some(Value::Tensor(tensor)) = value else {
        return Err("a view of no tensor".to_owned());
    };
    counted(&view.shape)?;
    let layout = Layout::strided(&view.shape, &view.strides(), view.offset);
    let stored = tensor.stored().view_with(layout).map_err(told)?;
    let view = match tensor.quantizer() {
        None => stored,
        Some(quantizer) => {
            quantizer.check(stored.sizes()).map_err(told)?;
            stored.as_quantized(quantizer).ok_or("no quantized dtype")?
        }
    };
    Ok(Value::Tensor(view))
}

/// Refuses sizes of more elements than an index can count: no operator gives such a tensor.
fn counted(shape: &[usize]) -> Result<(), String> {
    let count = shape
        .iter()
        .filter(|size| **size != 0)
        .try_fold(1usize, |count, size| count.checked_mul(*size));
    match count {
        Some(count) if count <= isize::MAX as usize => Ok(()),
        _ => Err("too many elements".to_owned()),
    }
}

/// The value of one argument where a value of type `ty` is wanted; what does not fit stays what it is.
fn value(table: &OperatorTable, arg: &Arg, ty: &Type) -> Result<Value, String> {
    Ok(match (arg, ty) {
        (Arg::None, _) => Value::None,
        (_, Type::Optional(inner)) => return value(table, arg, inner),
        (Arg::Number(number), Type::Float) if !number.is_complex() => Value::Float(number.to_f64()),
        (Arg::Number(number), Type::Complex) => Value::complex(number.to_complex()),
        (Arg::Number(number), Type::Tensor(_)) => {
            Value::Tensor(Tensor::wrapped(*number, DType::F32))
        }
        (Arg::Number(number), _) => Value::scalar(*number),
        (Arg::Str(text), _) => Value::str(text.as_str()),
        (Arg::Device(name), _) => Value::Device(Device::parse(name).map_err(told)?),
        (Arg::Generator(seed), _) => Value::Generator(shared_generator(*seed)),
        (Arg::List(items), _) => {
            let wanted = ty.list_element();
            let items = items
                .iter()
                .map(|item| value(table, item, wanted.unwrap_or(&Type::Any)))
                .collect::<Result<Vec<_>, _>>()?;
            let none = || wanted.map_or(Type::Int, bind_to_int);
            let shown = || items.first().map_or_else(none, Value::type_of);
            let element = match wanted {
                Some(wanted) if !wanted.has_variables() => wanted.clone(),
                _ => shown(),
            };
            match Value::list(&element, items.clone()) {
                Ok(list) => list,
                Err(_) => Value::list(&Type::Any, items).map_err(told)?,
            }
        }
        (Arg::Tuple(items), _) => {
            let items = items.iter().map(|item| value(table, item, &Type::Any));
            Value::tuple(items.collect::<Result<_, _>>()?)
        }
        (Arg::Dict(entries), _) => {
            let entries = entries
                .iter()
                .map(|(k, v)| Ok((value(table, k, &Type::Any)?, value(table, v, &Type::Any)?)))
                .collect::<Result<Vec<_>, String>>()?;
            let shown = entries
                .first()
                .map_or((Type::Str, Type::Int), |(key, value)| {
                    (key.type_of(), value.type_of())
                });
            let types = match ty {
                Type::Dict(parts) => {
                    let say = |wanted: &Type, shown: Type| match wanted.has_variables() {
                        true => shown,
                        false => wanted.clone(),
                    };
                    (say(&parts.0, shown.0), say(&parts.1, shown.1))
                }
                _ => shown,
            };
            let dict = Dict::new(types.0, types.1);
            for (key, value) in entries {
                dict.items
                    .lock()
                    .insert(Key::new(key).map_err(told)?, value);
            }
            Value::Dict(Arc::new(dict))
        }
        (Arg::Tensor(recipe), _) => Value::Tensor(tensor(recipe)?),
        (Arg::Future(inner), _) => {
            let inner = value(table, inner, &Type::Any)?;
            Value::Future(Future::ready(inner.type_of(), inner))
        }
        (Arg::Result(call), _) => result_of(table, call)?,
        (Arg::Same(_) | Arg::View(..), _) => return Err("within another argument".to_owned()),
    })
}

/// What no item shows is an int.
fn bind_to_int(ty: &Type) -> Type {
    match ty {
        Type::Var(_) => Type::Int,
        other => other.map_parts(bind_to_int),
    }
}

fn result_of(table: &OperatorTable, call: &Call) -> Result<Value, String> {
    let operator = table
        .find(&call.operator)
        .ok_or_else(|| format!("no operator `{}`", call.operator))?;
    let args = values(table, operator, &call.args)?;
    let results = operator.call_vec(&context(), args).map_err(told)?;
    results.into_iter().next().ok_or("no result".to_owned())
}

/// The tensor of a description.
fn tensor(recipe: &TensorArg) -> Result<Tensor, String> {
    counted(&recipe.view.shape)?;
    let needed = recipe.view.end().ok_or("a view beyond all numbers")?;
    let length = recipe.length.unwrap_or(needed).max(needed);
    if length > LONGEST {
        return Err(format!("a storage of {length} elements"));
    }
    let zero = [Scalar::Int(0)];
    let data = if recipe.data.is_empty() {
        &zero[..]
    } else {
        &recipe.data
    };
    let stored = recipe.dtype.stored();
    let flat = dispatch!(stored, All, T => {
        let elements: Vec<T> = data.iter().take(length).map(|v| T::from_scalar(*v)).collect();
        let storage: Vec<T> = elements.iter().copied().cycle().take(length).collect();
        Tensor::from_vec(storage, &[length])
    })
    .map_err(told)?;
    let layout = Layout::strided(
        &recipe.view.shape,
        &recipe.view.strides(),
        recipe.view.offset,
    );
    let plain = Tensor::view_of(&flat.storage(), stored, layout).map_err(told)?;
    if !recipe.dtype.is_quantized() {
        return Ok(plain);
    }
    let quantizer = match &recipe.quantizer {
        None => Quantizer::Tensor {
            scale: 1.0,
            zero_point: 0,
        },
        Some(Quantization::Tensor(scale, zero_point)) => Quantizer::Tensor {
            scale: *scale,
            zero_point: *zero_point,
        },
        Some(Quantization::Channel {
            axis,
            scales,
            zero_points,
        }) => Quantizer::Channel {
            scales: scales.clone(),
            zero_points: zero_points.clone(),
            axis: *axis,
            floating: false,
        },
    };
    quantizer.check(plain.sizes()).map_err(told)?;
    plain
        .as_quantized(&Arc::new(quantizer))
        .ok_or("no quantized dtype".to_owned())
}

fn told(fault: Fault) -> String {
    fault.to_string()
}
