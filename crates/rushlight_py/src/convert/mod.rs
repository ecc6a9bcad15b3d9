//! Python objects to values and back.
//!
//! Here objects become values of the types that they are wanted as, and what they are by themselves. Attributes of an object
//! that stands for one of a script class are taken as freely as [`argument`]s are, which in turn are converted as
//! everything is.

pub mod argument;
mod depth;
mod exact;
pub mod names;
mod to_python;

pub use names::{not_supported, shown_type, type_name};
pub use to_python::{to_python, wrapped};

use crate::handles::{ScriptFunction, ScriptObject, behind};
use crate::identity::{PyTensor, tensor_of};
use crate::objects::{CodeObject, DTypeObject, DeviceObject, GeneratorObject};
use crate::{errors, own_kind, registry, state};
use argument::{PyArgument, inner_value};
use depth::MAX_DEPTH;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use rushlight::Value;
use rushlight::tensor::{Complex64, Device};
use rushlight::types::{
    ClassType, Dict, EnumValue, Future, GenericList, Key, Object, Tuple, Type, unify_list,
};
use std::sync::Arc;

/// The number or text that an object of Python's own class for it is; `None` for all others.
pub fn of_exact_type(object: &Bound<'_, PyAny>, ty: &Type) -> Option<Value> {
    match ty {
        Type::Int if object.is_exact_instance_of::<PyInt>() => {
            object.extract().ok().map(Value::Int)
        }
        Type::Float if object.is_exact_instance_of::<PyFloat>() => {
            object.extract().ok().map(Value::Float)
        }
        Type::Str if object.is_exact_instance_of::<PyString>() => {
            let text = object.cast::<PyString>().ok()?;
            Some(Value::from(&*text.to_cow().ok()?))
        }
        _ => None,
    }
}

/// A list of Python's ints or floats and nothing else.
pub fn numbers(object: &Bound<'_, PyAny>, element: &Type) -> Option<Value> {
    let items = object.cast_exact::<PyList>().ok()?.iter();
    Some(match element {
        Type::Int => {
            let ints = items.map(|item| of_exact_type(&item, element)?.as_int().ok());
            Value::IntList(ints.collect::<Option<Vec<i64>>>()?.into())
        }
        Type::Float => {
            let floats = items.map(|item| of_exact_type(&item, element)?.as_float().ok());
            Value::FloatList(floats.collect::<Option<Vec<f64>>>()?.into())
        }
        _ => return None,
    })
}

/// A list in the representation of its element type, of whatever it holds.
pub fn list_of(element: &Type, values: Vec<Value>) -> Value {
    // Of what has a representation of its own, another attempt may be needed.
    if !matches!(
        element.runtime(),
        Type::Int | Type::Float | Type::Bool | Type::Tensor(_)
    ) {
        return Value::List(Arc::new(GenericList::new(element.runtime(), values)));
    }
    match Value::list(element, values.clone()) {
        Ok(list) => list,
        Err(_) => Value::List(Arc::new(GenericList::new(element.clone(), values))),
    }
}

/// The object as a value of a type; `None` where it is none.
pub fn from_python(object: &Bound<'_, PyAny>, ty: &Type) -> Option<Value> {
    convert(object, ty, 0)
}

fn convert(object: &Bound<'_, PyAny>, ty: &Type, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    if let Some(value) = of_exact_type(object, ty) {
        return Some(value);
    }
    let is_bool = object.is_instance_of::<PyBool>();
    match ty {
        Type::Tensor(_) => object
            .cast::<PyTensor>()
            .ok()
            .filter(|_| !own_kind::is_own(object))
            .map(|t| Value::Tensor(tensor_of(t))),
        Type::Int
        | Type::SymInt
        | Type::ScalarType
        | Type::Layout
        | Type::MemoryFormat
        | Type::QScheme => {
            if object.is_instance_of::<PyInt>() {
                return object.extract().ok().map(Value::Int);
            }
            code_of(object).or_else(|| {
                if object.is_instance_of::<PyFloat>() || object.cast::<PyTensor>().is_ok() {
                    return None;
                }
                object.extract().ok().map(Value::Int)
            })
        }
        Type::Float | Type::SymFloat => (object.is_instance_of::<PyFloat>()
            || object.is_instance_of::<PyInt>() && !is_bool)
            .then(|| object.extract().ok().map(Value::Float))?,
        Type::Bool | Type::SymBool => is_bool.then(|| object.extract().ok().map(Value::Bool))?,
        Type::Complex => complex_of(object).map(Value::complex),
        Type::Number => match () {
            () if is_bool => object.extract().ok().map(Value::Bool),
            () if object.is_instance_of::<PyInt>() => object.extract().ok().map(Value::Int),
            () if object.is_instance_of::<PyFloat>() => object.extract().ok().map(Value::Float),
            () => object
                .is_instance_of::<PyComplex>()
                .then(|| complex_of(object).map(Value::complex))?,
        },
        Type::Str | Type::Dimname => object
            .cast::<PyString>()
            .ok()
            .and_then(|s| s.extract::<String>().ok())
            .map(Value::str),
        Type::None => object.is_none().then_some(Value::None),
        Type::Device => match object.extract::<DeviceObject>() {
            Ok(device) => Some(Value::Device(device.0)),
            Err(_) => Device::parse(&object.cast::<PyString>().ok()?.extract::<String>().ok()?)
                .ok()
                .map(Value::Device),
        },
        Type::Generator => object
            .extract::<GeneratorObject>()
            .ok()
            .map(|g| Value::Generator(g.0)),
        Type::Optional(inner) => {
            if object.is_none() {
                Some(Value::None)
            } else {
                convert(object, inner, depth + 1)
            }
        }
        Type::Union(members) => {
            let exact = infer(object).ok()?;
            if members.iter().any(|m| exact.type_of() == *m) {
                return Some(exact);
            }
            members.iter().find_map(|m| convert(object, m, depth + 1))
        }
        Type::List(element) if object.is_instance_of::<PyList>() => list(object, element, depth),
        Type::List(_) if is_single(object) => None,
        Type::List(element) => shared(object, ty).or_else(|| list(object, element, depth)),
        Type::Dict(kv) => dict(object, &kv.0, &kv.1, depth).or_else(|| shared(object, ty)),
        Type::Future(inner) => shared(object, ty).or_else(|| finished(object, inner, depth)),
        Type::Await(_) => shared(object, ty),
        Type::RRef(_) => behind(object).filter(|v| rushlight::types::RRef::of(v).is_some()),
        Type::Tuple(tuple) => {
            let items = object.cast::<PyTuple>().ok()?;
            if items.len() != tuple.elements.len() {
                return None;
            }
            let values = items
                .iter()
                .zip(&tuple.elements)
                .map(|(item, ty)| convert(&item, ty, depth + 1))
                .collect::<Option<Vec<_>>>()?;
            let ty = tuple.name.is_some().then(|| tuple.clone());
            Some(Value::Tuple(Arc::new(Tuple {
                items: values.into(),
                ty,
            })))
        }
        Type::Enum(ty) => {
            let name: String = object.getattr("name").ok()?.extract().ok()?;
            let class = state::class_of(object.py(), &ty.name)?;
            if !object.get_type().is(&class) {
                return None;
            }
            let index = ty.members.iter().position(|m| *m.0 == *name)?;
            Some(Value::Enum(Arc::new(EnumValue {
                ty: ty.clone(),
                index,
            })))
        }
        Type::Class(_) | Type::Interface(_) => {
            let value = script_object(object).or_else(|| instance(object, ty, depth))?;
            value.type_of().is_subtype_of(ty).then_some(value)
        }
        Type::Function(_) => object
            .cast::<ScriptFunction>()
            .ok()
            .map(|f| f.borrow().as_value()),
        Type::Any
        | Type::Var(_)
        | Type::AnyClass
        | Type::AnyEnum
        | Type::AnyList
        | Type::AnyTuple => infer(object).ok(),
        Type::PyObject => Some(foreign(object)),
        _ => {
            let value = infer(object).ok()?;
            value.type_of().is_subtype_of(ty).then_some(value)
        }
    }
}

/// Whether an object is a number, a text or a tensor: nothing that could stand for a list.
fn is_single(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyInt>()
        || object.is_instance_of::<PyFloat>()
        || object.is_instance_of::<PyString>()
        || object.cast::<PyTensor>().is_ok()
}

fn foreign(object: &Bound<'_, PyAny>) -> Value {
    Value::Foreign(Arc::new(Box::new(object.clone().unbind())))
}

fn code_of(object: &Bound<'_, PyAny>) -> Option<Value> {
    if let Ok(dtype) = object.extract::<DTypeObject>() {
        return Some(Value::Int(dtype.0.code()));
    }
    object
        .extract::<CodeObject>()
        .ok()
        .map(|c| Value::Int(c.code))
}

fn complex_of(object: &Bound<'_, PyAny>) -> Option<Complex64> {
    if let Ok(c) = object.cast::<PyComplex>() {
        let part = |name: &str| c.getattr(name).ok()?.extract::<f64>().ok();
        return Some(Complex64::new(part("real")?, part("imag")?));
    }
    let number = object.is_instance_of::<PyFloat>() || object.is_instance_of::<PyInt>();
    number.then(|| {
        object
            .extract::<f64>()
            .ok()
            .map(|re| Complex64::new(re, 0.0))
    })?
}

fn items_of<'py>(object: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = object.cast::<PyList>() {
        return Some(list.iter().collect());
    }
    object.cast::<PyTuple>().ok().map(|t| t.iter().collect())
}

fn list(object: &Bound<'_, PyAny>, element: &Type, depth: usize) -> Option<Value> {
    let values = items_of(object)?
        .iter()
        .map(|item| convert(item, element, depth + 1))
        .collect::<Option<Vec<_>>>()?;
    Value::list(element, values).ok()
}

fn dict(object: &Bound<'_, PyAny>, key: &Type, value: &Type, depth: usize) -> Option<Value> {
    let source = object.cast::<PyDict>().ok()?;
    let out = Dict::new(key.clone(), value.clone());
    for (k, v) in source.iter() {
        let k = Key::new(convert(&k, key, depth + 1)?).ok()?;
        let v = convert(&v, value, depth + 1)?;
        out.items.lock().insert(k, v);
    }
    Some(Value::Dict(Arc::new(out)))
}

fn script_object(object: &Bound<'_, PyAny>) -> Option<Value> {
    let value = |object: &Bound<'_, ScriptObject>| {
        let object = object.borrow();
        state::keep_unit(&object.unit);
        Value::Object(object.object.clone())
    };
    if let Ok(object) = object.cast::<ScriptObject>() {
        return Some(value(object));
    }
    // Python wrappers keep the script object behind.
    let inner = object.getattr("_c").ok()?;
    inner.cast::<ScriptObject>().ok().map(value)
}

/// A script value that Python holds by reference.
fn shared(object: &Bound<'_, PyAny>, ty: &Type) -> Option<Value> {
    let value = behind(object)?;
    value.type_of().is_subtype_of(ty).then_some(value)
}

/// A future of Python's that has its value.
fn finished(object: &Bound<'_, PyAny>, inner: &Type, depth: usize) -> Option<Value> {
    let class = registry::registered(object.py(), "Future").ok()?;
    let is_done =
        object.is_instance(&class).ok()? && object.call_method0("done").ok()?.extract().ok()?;
    if !is_done {
        return None;
    }
    let value = convert(&object.call_method0("wait").ok()?, inner, depth + 1)?;
    Some(Value::Future(Future::ready(inner.clone(), value)))
}

/// An object as one of a Python class that was scripted: its attributes are copied. Where the class is known that is
/// wanted, any object with its attributes will do, as those of subclasses have.
fn instance(object: &Bound<'_, PyAny>, ty: &Type, depth: usize) -> Option<Value> {
    let class = match (ty, state::known_type(object.get_type().as_any())) {
        (Type::Class(wanted), _) if stands_for_python(object.py(), wanted) => wanted.clone(),
        (_, Some(Type::Class(class))) => class,
        _ => return None,
    };
    let out = Object::new(class.clone());
    for attribute in class.attributes() {
        let value = object.getattr(&*attribute.name).ok()?;
        let value = inner_value(&value, &attribute.ty, depth + 1)?;
        out.set(&attribute.name, value);
    }
    Some(Value::Object(out))
}

/// Whether a script class was made of a Python class that is no module's.
pub fn stands_for_python(py: Python<'_>, class: &ClassType) -> bool {
    !class.is_module() && state::class_of(py, class.name()).is_some()
}

/// The Python number that a NumPy scalar is. Its truth values count as floats, as in the reference.
pub fn array_scalar(object: &Bound<'_, PyAny>) -> Option<Value> {
    let class = object.get_type();
    let known = class.module().is_ok_and(|m| m == "numpy") && !is_array(object);
    if !known || class.is_subclass_of::<PyFloat>().ok()? {
        return None;
    }
    match infer(&object.call_method0("item").ok()?).ok()? {
        Value::Bool(truth) => Some(Value::Float(f64::from(u8::from(truth)))),
        number @ (Value::Int(_) | Value::Float(_) | Value::Complex(_)) => Some(number),
        _ => None,
    }
}

/// Whether an object is a NumPy array.
pub fn is_array(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type();
    class.name().is_ok_and(|n| n == "ndarray") && class.module().is_ok_and(|m| m == "numpy")
}

/// The value that an object is by itself, where nothing says what it should be.
pub fn infer(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    infer_at(object, 0)
}

fn infer_at(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let unfit = |what: String| PyRuntimeError::new_err(what);
    if depth > MAX_DEPTH {
        return Err(unfit("this value is nested too deeply".into()));
    }
    if object.is_none() {
        return Ok(Value::None);
    }
    if object.is_instance_of::<PyBool>() {
        return object.extract().map(Value::Bool);
    }
    if object.is_instance_of::<PyInt>() {
        return object.extract().map(Value::Int);
    }
    if object.is_instance_of::<PyFloat>() {
        return object.extract().map(Value::Float);
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::str(text.extract::<String>()?));
    }
    if own_kind::is_own(object) {
        return own_kind::as_value(object).map_err(|fault| unfit(fault.message().to_string()));
    }
    if let Ok(tensor) = object.cast::<PyTensor>() {
        return Ok(Value::Tensor(tensor_of(tensor)));
    }
    if object.is_instance_of::<PyComplex>()
        && let Some(c) = complex_of(object)
    {
        return Ok(Value::complex(c));
    }
    if let Some(code) = code_of(object) {
        return Ok(code);
    }
    if let Ok(device) = object.extract::<DeviceObject>() {
        return Ok(Value::Device(device.0));
    }
    if let Ok(generator) = object.extract::<GeneratorObject>() {
        return Ok(Value::Generator(generator.0));
    }
    if let Ok(tuple) = object.cast::<PyTuple>() {
        if let Some(Type::Tuple(ty)) = state::known_type(object.get_type().as_any())
            && let Some(value) = convert(object, &Type::Tuple(ty), depth + 1)
        {
            return Ok(value);
        }
        let items = tuple
            .iter()
            .map(|i| infer_at(&i, depth + 1))
            .collect::<PyResult<Vec<_>>>()?;
        return Ok(Value::tuple(items));
    }
    if let Ok(items) = object.cast::<PyList>() {
        let values = items
            .iter()
            .map(|i| infer_at(&i, depth + 1))
            .collect::<PyResult<Vec<_>>>()?;
        let types: Vec<Type> = values.iter().map(Value::type_of).collect();
        let element = if types.is_empty() {
            Type::TENSOR
        } else {
            unify_list(&types, false).unwrap_or_else(|| Type::union(types))
        };
        return match Value::list(&element, values.clone()) {
            Ok(list) => Ok(list),
            Err(_) => Ok(Value::List(Arc::new(GenericList::new(element, values)))),
        };
    }
    if let Ok(source) = object.cast::<PyDict>() {
        let mut entries = Vec::new();
        for (k, v) in source.iter() {
            entries.push((infer_at(&k, depth + 1)?, infer_at(&v, depth + 1)?));
        }
        let side = |pick: fn(&(Value, Value)) -> &Value, default: Type| {
            let types: Vec<Type> = entries.iter().map(|e| pick(e).type_of()).collect();
            if types.is_empty() {
                default
            } else {
                unify_list(&types, false).unwrap_or_else(|| Type::union(types))
            }
        };
        let dict = Dict::new(side(|e| &e.0, Type::Str), side(|e| &e.1, Type::TENSOR));
        for (k, v) in entries {
            dict.items
                .lock()
                .insert(Key::new(k).map_err(errors::fault)?, v);
        }
        return Ok(Value::Dict(Arc::new(dict)));
    }
    if let Ok(function) = object.cast::<ScriptFunction>() {
        return Ok(function.borrow().as_value());
    }
    if let Some(value) = script_object(object) {
        return Ok(value);
    }
    match state::known_type(object.get_type().as_any()) {
        Some(ty @ (Type::Class(_) | Type::Enum(_))) => convert(object, &ty, depth + 1)
            .ok_or_else(|| unfit(PyArgument(object.clone()).cast_details(&ty))),
        _ => Ok(foreign(object)),
    }
}
