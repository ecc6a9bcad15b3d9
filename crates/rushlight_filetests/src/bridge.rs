//! Between recorded values and the values that operators take and give.

use std::sync::Arc;

use rushlight_tensor::{Complex64, DType, Device, Layout, MemoryFormat, Scalar, Tensor, dispatch};
use rushlight_types::ty::{evaluate, match_type};
use rushlight_types::{Bindings, Dict, Key, Schema, Type, Value};

use crate::recorded::{Elements, Recorded, RecordedTensor, contiguous};

/// The arguments of a call in the order of the schema, defaults filled in.
pub fn arguments(schema: &Schema, given: &[(String, Recorded)]) -> Result<Vec<Value>, String> {
    if let Some((name, _)) = given
        .iter()
        .find(|(name, _)| schema.argument_index(name).is_none() && !is_rest(schema, name))
    {
        return Err(format!("{} has no argument `{name}`", schema.full_name()));
    }
    let find = |name: &str| {
        given
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    };
    let mut bindings = Bindings::default();
    for argument in &schema.arguments {
        if let Some(shown) = find(&argument.name).and_then(type_of) {
            match_type(&argument.ty, &shown, &mut bindings)?;
        }
    }
    let build = |argument: &rushlight_types::Argument| match find(&argument.name) {
        Some(value) => {
            // What no argument shows is bound to int, as the corpus does.
            let ty = evaluate(&argument.ty, &bindings).unwrap_or_else(|| bind_to_int(&argument.ty));
            to_value(value, &ty, argument.list_size)
                .map_err(|why| format!("argument `{}`: {why}", argument.name))
        }
        None => Ok(argument.default.clone().unwrap_or_default()),
    };
    let mut values: Vec<Value> = schema
        .arguments
        .iter()
        .map(build)
        .collect::<Result<_, _>>()?;
    for (_, rest) in given.iter().filter(|(name, _)| is_rest(schema, name)) {
        let Recorded::List(items) = rest else {
            return Err("`varargs` is no list".to_string());
        };
        for item in items {
            let ty = type_of(item).unwrap_or(Type::Any);
            values.push(to_value(item, &ty, None)?);
        }
    }
    Ok(values)
}

/// Whether a recorded argument holds what a variadic operator takes after its named arguments.
fn is_rest(schema: &Schema, name: &str) -> bool {
    schema.varargs && name == "varargs"
}

fn bind_to_int(ty: &Type) -> Type {
    match ty {
        Type::Var(_) => Type::Int,
        other => other.map_parts(bind_to_int),
    }
}

/// The type a recorded value shows; `None` where it shows nothing (None, an empty list).
fn type_of(value: &Recorded) -> Option<Type> {
    Some(match value {
        Recorded::Bool(_) => Type::Bool,
        Recorded::Int(_) | Recorded::DType(_) | Recorded::Layout(_) | Recorded::MemoryFormat(_) => {
            Type::Int
        }
        Recorded::Float(_) => Type::Float,
        Recorded::Complex(..) => Type::Complex,
        Recorded::Str(_) => Type::Str,
        Recorded::Device(_) => Type::Device,
        Recorded::Tensor(_) => Type::TENSOR,
        Recorded::List(items) => Type::list(items.iter().find_map(type_of)?),
        Recorded::Tuple(items) => Type::tuple(items.iter().map(type_of).collect::<Option<_>>()?),
        Recorded::Dict(entries) => {
            let (key, value) = entries
                .iter()
                .find_map(|(key, value)| Some((type_of(key)?, type_of(value)?)))?;
            Type::dict(key, value)
        }
        Recorded::None | Recorded::Argument(_) | Recorded::Some(_) | Recorded::Other(_) => {
            return None;
        }
    })
}

/// The value that `recorded` stands for where a value of type `ty` is wanted. `size` is the schema's list size:
/// a single element broadcasts to that many.
pub fn to_value(recorded: &Recorded, ty: &Type, size: Option<u32>) -> Result<Value, String> {
    if let (Type::Optional(inner), false) = (ty, matches!(recorded, Recorded::None)) {
        return to_value(recorded, inner, size);
    }
    if let (Type::List(_), Some(size), Recorded::Int(_) | Recorded::Float(_) | Recorded::Bool(_)) =
        (ty, size, recorded)
    {
        return to_value(
            &Recorded::List(vec![recorded.clone(); size as usize]),
            ty,
            None,
        );
    }
    let number = |scalar: Scalar| match ty {
        Type::Tensor(_) => Value::Tensor(Tensor::wrapped(scalar, DType::F32)),
        Type::Float | Type::SymFloat => Value::Float(scalar.to_f64()),
        Type::Complex => Value::complex(scalar.to_complex()),
        _ => Value::scalar(scalar),
    };
    Ok(match recorded {
        Recorded::None => Value::None,
        Recorded::Bool(value) => number(Scalar::Bool(*value)),
        Recorded::Int(value) => number(Scalar::Int(*value)),
        Recorded::Float(value) => number(Scalar::Float(*value)),
        Recorded::Complex(re, im) => number(Scalar::Complex(Complex64::new(*re, *im))),
        Recorded::Str(text) => Value::str(text.as_str()),
        Recorded::DType(name) => Value::Int(dtype_code(name)?),
        Recorded::Layout(name) => Value::Int(code(LAYOUTS, name)?),
        Recorded::MemoryFormat(name) => Value::Int(code(MEMORY_FORMATS, name)?),
        Recorded::Device(name) => {
            Value::Device(Device::parse(name).map_err(|fault| fault.to_string())?)
        }
        Recorded::Tensor(tensor) => Value::Tensor(to_tensor(tensor)?),
        Recorded::List(items) => to_list(items, ty)?,
        Recorded::Tuple(items) => to_tuple(items, ty)?,
        Recorded::Dict(entries) => to_dict(entries, ty)?,
        Recorded::Argument(_) | Recorded::Some(_) | Recorded::Other(_) => {
            return Err(format!("{recorded:?} cannot be an argument"));
        }
    })
}

fn to_list(items: &[Recorded], ty: &Type) -> Result<Value, String> {
    let element = match ty {
        Type::List(element) => (**element).clone(),
        _ => items.iter().find_map(type_of).unwrap_or(Type::Int),
    };
    let items = items
        .iter()
        .map(|item| to_value(item, &element, None))
        .collect::<Result<Vec<_>, _>>()?;
    Value::list(&element, items).map_err(|fault| fault.to_string())
}

fn to_tuple(items: &[Recorded], ty: &Type) -> Result<Value, String> {
    let part = |index: usize| match ty {
        Type::Tuple(tuple) => tuple.elements.get(index).cloned().unwrap_or(Type::Any),
        _ => Type::Any,
    };
    let items = items
        .iter()
        .enumerate()
        .map(|(index, item)| to_value(item, &part(index), None));
    Ok(Value::tuple(items.collect::<Result<_, _>>()?))
}

fn to_dict(entries: &[(Recorded, Recorded)], ty: &Type) -> Result<Value, String> {
    let shown = type_of(&Recorded::Dict(entries.to_vec()));
    let parts = match (ty, &shown) {
        (Type::Dict(parts), _) | (_, Some(Type::Dict(parts))) => (**parts).clone(),
        _ => (Type::Str, Type::Int),
    };
    let dict = Dict::new(parts.0.clone(), parts.1.clone());
    for (key, value) in entries {
        let key = Key::new(to_value(key, &parts.0, None)?).map_err(|fault| fault.to_string())?;
        dict.items
            .lock()
            .insert(key, to_value(value, &parts.1, None)?);
    }
    Ok(Value::Dict(Arc::new(dict)))
}

/// The numbers that stand for layouts in graphs.
const LAYOUTS: &[(&str, i64)] = &[
    ("strided", 0),
    ("sparse_coo", 1),
    ("sparse_csr", 2),
    ("_mkldnn", 3),
    ("sparse_csc", 4),
    ("sparse_bsr", 5),
    ("sparse_bsc", 6),
    ("jagged", 7),
];

const MEMORY_FORMATS: &[(&str, i64)] = &[
    ("contiguous", 0),
    ("contiguous_format", 0),
    ("preserve", 1),
    ("preserve_format", 1),
    ("channels_last", 2),
    ("channels_last_3d", 3),
];

fn code(table: &[(&str, i64)], name: &str) -> Result<i64, String> {
    let row = table.iter().find(|(known, _)| *known == name);
    row.map(|(_, code)| *code)
        .ok_or_else(|| format!("unknown name `{name}`"))
}

fn dtype_code(name: &str) -> Result<i64, String> {
    DType::from_name(name)
        .map(DType::code)
        .ok_or_else(|| format!("unknown name `{name}`"))
}

/// The tensor, laid out as the record says.
pub fn to_tensor(recorded: &RecordedTensor) -> Result<Tensor, String> {
    let dtype = DType::from_name(&recorded.dtype)
        .ok_or_else(|| format!("no dtype `{}`", recorded.dtype))?;
    let elements = recorded
        .elements
        .as_ref()
        .ok_or("a tensor without elements")?;
    let strides = recorded.strides();
    let length = match recorded.numel() {
        0 => 0,
        _ => {
            1 + recorded
                .shape
                .iter()
                .zip(&strides)
                .map(|(size, stride)| (size - 1) * stride)
                .sum::<usize>()
        }
    };
    const MOST: usize = 1 << 26;
    if length > MOST {
        return Err(format!("a storage of {length} elements"));
    }
    let places = places(&recorded.shape, &strides);
    // Floats of eight bits are made of wider ones.
    let wide = if dtype.is_eight() { DType::F32 } else { dtype };
    let tensor = dispatch!(wide, All, T => {
        use rushlight_tensor::Element as _;
        let mut storage = vec![T::default(); length];
        match elements {
            Elements::Ints(items) => places.zip(items).for_each(|(at, item)| storage[at] = T::from_i64(*item)),
            Elements::Floats(items) => places.zip(items).for_each(|(at, item)| storage[at] = T::from_f64(*item)),
            Elements::Complex(items) => places
                .zip(items)
                .for_each(|(at, (re, im))| storage[at] = T::from_complex(Complex64::new(*re, *im))),
        }
        Tensor::from_vec(storage, &[length])
    });
    let layout = Layout::strided(&recorded.shape, &strides, 0);
    tensor
        .and_then(|flat| Tensor::view_of(&flat.to_dtype(dtype).storage(), dtype, layout))
        .map_err(|fault| fault.to_string())
}

/// Where in the storage each element lies, in row-major order of the index.
fn places(shape: &[usize], strides: &[usize]) -> impl Iterator<Item = usize> {
    let inner = contiguous(shape);
    (0..shape.iter().product::<usize>()).map(move |number| {
        let dims = shape.iter().zip(strides).zip(&inner);
        dims.map(|((size, stride), inner)| (number / inner % size) * stride)
            .sum()
    })
}

/// A value as the corpus would spell it.
pub fn from_value(value: &Value) -> Recorded {
    match value {
        Value::None => Recorded::None,
        Value::Bool(value) => Recorded::Bool(*value),
        Value::Int(value) => Recorded::Int(*value),
        Value::Float(value) => Recorded::Float(*value),
        Value::Complex(value) => Recorded::Complex(value.re, value.im),
        Value::Str(text) => Recorded::Str(text.to_string()),
        Value::Device(device) => Recorded::Device(device.to_string()),
        Value::Tensor(tensor) => Recorded::Tensor(from_tensor(tensor)),
        Value::Tuple(tuple) => Recorded::Tuple(tuple.items.iter().map(from_value).collect()),
        Value::Dict(dict) => {
            let entries = dict.entries();
            Recorded::Dict(
                entries
                    .iter()
                    .map(|(key, value)| (from_value(key), from_value(value)))
                    .collect(),
            )
        }
        other => match other.list_items() {
            Ok(items) => Recorded::List(items.iter().map(from_value).collect()),
            Err(_) => Recorded::Other(other.type_of().to_string()),
        },
    }
}

/// A tensor as the corpus would spell it.
pub fn from_tensor(tensor: &Tensor) -> RecordedTensor {
    let dtype = tensor.dtype();
    let elements = if dtype.is_complex() {
        let items = tensor.to_vec::<Complex64>();
        Elements::Complex(items.iter().map(|item| (item.re, item.im)).collect())
    } else if dtype.is_float() {
        Elements::Floats(tensor.to_vec::<f64>())
    } else {
        Elements::Ints(tensor.to_vec::<i64>())
    };
    let strides = tensor.strides().to_vec();
    let shape = tensor.sizes().to_vec();
    let stride = (strides != contiguous(&shape)).then_some(strides);
    RecordedTensor {
        dtype: dtype.name().to_owned(),
        shape,
        stride,
        elements: Some(elements),
        alias: None,
    }
}

/// The name of a memory format, for the numbers of [`MEMORY_FORMATS`].
const _: () = assert!(MemoryFormat::ChannelsLast as i64 == 2);

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(text: &str) -> Recorded {
        crate::recorded::read(&serde_json::from_str(text).expect("JSON")).expect("a value")
    }

    #[track_caller]
    fn there_and_back(text: &str, ty: &Type) {
        let value = recorded(text);
        assert_eq!(
            from_value(&to_value(&value, ty, None).expect("a value")),
            value
        );
    }

    #[test]
    fn values_come_back_as_they_went() {
        there_and_back("[1,2]", &Type::list(Type::Int));
        there_and_back(
            r#"{"dict":[["a",{"f":1.5}],["b",{"f":2.5}]]}"#,
            &Type::dict(Type::Str, Type::Float),
        );
        there_and_back(r#"{"tuple":[1,"x",null]}"#, &Type::Any);
        there_and_back(
            r#"{"t":"float16","shape":[2,2],"stride":[1,2],"data":[1.0,2.0,3.0,4.0]}"#,
            &Type::TENSOR,
        );
        there_and_back(
            r#"{"t":"complex64","shape":[1],"data":[[1.0,-2.0]]}"#,
            &Type::TENSOR,
        );
        there_and_back(r#"{"t":"int64","shape":[0,3],"data":[]}"#, &Type::TENSOR);
    }

    #[test]
    fn an_expanded_tensor_keeps_one_element() {
        let value = recorded(r#"{"t":"int64","shape":[3],"stride":[0],"data":[7,7,7]}"#);
        let Ok(Value::Tensor(tensor)) = to_value(&value, &Type::TENSOR, None) else {
            panic!("a tensor")
        };
        assert_eq!(tensor.storage().len(), 8);
        assert_eq!(tensor.strides(), [0]);
    }

    #[test]
    fn arguments_follow_the_schema() {
        let schema =
            Schema::parse("aten::f(Tensor self, int[2] k, float p=0.5, bool x=True) -> Tensor")
                .expect("a schema");
        let given = vec![
            ("k".to_owned(), Recorded::Int(3)),
            (
                "self".to_owned(),
                recorded(r#"{"t":"int64","shape":[],"data":[1]}"#),
            ),
        ];
        let values = arguments(&schema, &given).expect("arguments");
        assert_eq!(from_value(&values[1]), recorded("[3,3]"));
        assert_eq!(from_value(&values[2]), recorded(r#"{"f":0.5}"#));
        assert!(arguments(&schema, &[("nobody".to_owned(), Recorded::None)]).is_err());
    }

    #[test]
    fn type_variables_are_bound_by_what_the_arguments_show() {
        let schema = Schema::parse("aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)")
            .expect("a schema");
        let given = vec![
            ("self".to_owned(), recorded("[]")),
            ("el".to_owned(), recorded("\"x\"")),
        ];
        let values = arguments(&schema, &given).expect("arguments");
        assert_eq!(values[0].type_of().to_string(), "List[str]");
    }
}
