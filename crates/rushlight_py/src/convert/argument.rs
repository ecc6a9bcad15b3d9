//! Python objects as arguments of scripts: what each formal type takes, and how a refusal reads.
//!
//! Arguments, and attributes of a declared type, are taken more freely than constants: a tensor of one element is a number,
//! anything that iterates is a list or a tuple, bytes are text. What is left over is converted as everywhere else.

use super::depth::MAX_DEPTH;
use super::exact::exact_value;
use super::names::{not_supported, type_name};
use super::{complex_of, from_python, infer, list_of, numbers, of_exact_type, stands_for_python};
use crate::handles::behind;
use crate::identity::PyTensor;
use crate::objects::DTypeObject;
use crate::{own_kind, seams};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyIterator, PyList, PyString, PyTuple};
use rushlight::Value;
use rushlight::runtime::invoke::{HostArgument, Refusal};
use rushlight::tensor::{Device, Scalar};
use rushlight::types::{
    ClassType, Dict, EnumType, EnumValue, ErrorClass, Fault, InterfaceType, Key, Tuple, TupleType,
    Type, unify,
};
use std::sync::Arc;

/// A Python object as an argument of a script.
pub struct PyArgument<'py>(pub Bound<'py, PyAny>);

impl HostArgument for PyArgument<'_> {
    fn cast(&self, formal: &Type) -> Result<Value, Refusal> {
        match exact_value(&self.0, formal) {
            Some(value) => Ok(value),
            None => cast(&self.0, formal, 0),
        }
    }

    fn type_name(&self) -> String {
        let class = self.0.get_type();
        let name = type_name(&self.0);
        // Named tuples of programs say what they hold.
        let fields = class
            .getattr("_fields")
            .and_then(|f| f.extract::<Vec<String>>());
        match fields
            .ok()
            .filter(|_| class.is_subclass_of::<PyTuple>().unwrap_or(false))
        {
            Some(fields) => format!("{name} (aka NamedTuple({}))", fields.join(", ")),
            None => name,
        }
    }

    fn text(&self) -> String {
        repr(&self.0)
    }
}

impl PyArgument<'_> {
    /// Why the object is no value of a type, in the reference's words.
    pub fn cast_details(&self, formal: &Type) -> String {
        let reason = match cast(&self.0, formal, 0) {
            Err(refusal) => refusal,
            Ok(_) => no_such(&self.0),
        };
        details(reason)
    }
}

/// The object as the value of an attribute of a type, or why it is none, in the reference's words.
pub fn attribute_value(object: &Bound<'_, PyAny>, ty: &Type) -> Result<Value, String> {
    match cast(object, ty, 0) {
        Ok(Value::None) if matches!(ty, Type::Tensor(_)) => {
            Err("strides() called on an undefined Tensor".into())
        }
        Ok(value) => Ok(value),
        Err(refusal) => Err(details(refusal)),
    }
}

/// The object as a value inside another, `depth` levels down.
pub fn inner_value(object: &Bound<'_, PyAny>, ty: &Type, depth: usize) -> Option<Value> {
    cast(object, ty, depth).ok()
}

type Outcome<T> = Result<T, Refusal>;

/// A refusal without its head.
fn details(reason: Refusal) -> String {
    const HEAD: &str = "Cast error details: ";
    const PYTHON: &str = " Python error details: ";
    match reason {
        Refusal::Note(note) => {
            let reason = note
                .strip_prefix(HEAD)
                .or_else(|| note.strip_prefix(PYTHON));
            reason.unwrap_or(&note).to_string()
        }
        Refusal::Whole(fault) => fault.message().to_string(),
    }
}

fn repr(object: &Bound<'_, PyAny>) -> String {
    object.repr().map_or_else(|_| "?".into(), |r| r.to_string())
}

fn text(object: &Bound<'_, PyAny>) -> String {
    object.str().map_or_else(|_| "?".into(), |s| s.to_string())
}

fn refusal(reason: String) -> Refusal {
    Refusal::Note(format!("Cast error details: {reason}"))
}

/// The refusal of a value that is no simple value of the wanted kind.
fn no_such(object: &Bound<'_, PyAny>) -> Refusal {
    let class = repr(object.get_type().as_any());
    refusal(format!(
        "Unable to cast Python instance of type {class} to C++ type '?' (#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"
    ))
}

fn python_error(object: &Bound<'_, PyAny>, error: &PyErr) -> Refusal {
    let py = object.py();
    Refusal::Note(format!(
        " Python error details: {}: {}",
        error
            .get_type(py)
            .name()
            .map_or_else(|_| "Exception".into(), |n| n.to_string()),
        error.value(py)
    ))
}

fn cast(object: &Bound<'_, PyAny>, formal: &Type, depth: usize) -> Outcome<Value> {
    if depth > MAX_DEPTH {
        return Err(refusal("the value is nested too deeply".into()));
    }
    if let Some(value) = of_exact_type(object, formal) {
        return Ok(value);
    }
    match formal {
        Type::Tensor(_) => match object.is_none() {
            // An undefined tensor.
            true => Ok(Value::None),
            false if own_kind::is_own(object) => own_kind::as_value(object).map_err(Refusal::Whole),
            false => plain(object, formal)
                .ok_or_else(|| refusal(format!("Unable to cast {} to Tensor", text(object)))),
        },
        Type::Int
        | Type::SymInt
        | Type::ScalarType
        | Type::Layout
        | Type::MemoryFormat
        | Type::QScheme
        | Type::Float
        | Type::SymFloat
        | Type::Complex
        | Type::Bool
        | Type::SymBool
        | Type::Str
        | Type::Dimname => simple(object, formal).ok_or_else(|| no_such(object)),
        Type::None if object.is_none() => Ok(Value::None),
        Type::None => Err(refusal(format!("Cannot cast {} to None", text(object)))),
        Type::Number => plain(object, formal)
            .or_else(|| plain(object, &Type::Int))
            .ok_or_else(|| refusal(format!("Cannot cast {} to number", text(object)))),
        Type::Device => device(object),
        Type::Optional(_) if object.is_none() => Ok(Value::None),
        Type::Optional(inner) => cast(object, inner, depth + 1),
        Type::List(element) => {
            held(object, formal).map_or_else(|| list(object, element, depth), Ok)
        }
        Type::Dict(kv) => {
            held(object, formal).map_or_else(|| dict(object, &kv.0, &kv.1, depth), Ok)
        }
        Type::Tuple(tuple) => sequence(object, tuple, formal, depth),
        Type::Union(_) => {
            let value = inferred(object)?;
            let actual = value.type_of();
            if actual.is_subtype_of(formal) {
                return Ok(value);
            }
            Err(refusal(format!(
                "Expected a member of {formal} but instead found type {actual}"
            )))
        }
        Type::Any => inferred(object),
        Type::AnyList | Type::AnyTuple => Err(refusal(format!(
            "toIValue() cannot handle converting to type: {formal}"
        ))),
        Type::Interface(wanted) => plain(object, formal).ok_or_else(|| refused_by(object, wanted)),
        Type::Class(class) if stands_for_python(object.py(), class) => {
            plain(object, formal).map_or_else(|| Err(unlike(object, class, formal, depth)), Ok)
        }
        Type::Enum(ty) => match plain(object, formal) {
            Some(member) => Ok(member),
            None => namesake(object, ty),
        },
        _ => plain(object, formal)
            .ok_or_else(|| refusal(format!("Unable to cast {} to {formal}", text(object)))),
    }
}

/// Why an object does not stand for an interface: it is no script object, or of a class that lacks something.
fn refused_by(object: &Bound<'_, PyAny>, wanted: &InterfaceType) -> Refusal {
    match infer(object) {
        Ok(Value::Object(found)) => refusal(wanted.refusal(found.class())),
        _ => Refusal::Whole(Fault::runtime(format!(
            "Assigning the object {} to an interface fails because the value is not a TorchScript compatible type, did you forget toturn it into a user defined TorchScript class?",
            text(object)
        ))),
    }
}

/// Why an object is none of a script class: it lacks an attribute, or has one of another type.
fn unlike(object: &Bound<'_, PyAny>, class: &ClassType, formal: &Type, depth: usize) -> Refusal {
    for attribute in class.attributes() {
        let Ok(value) = object.getattr(&*attribute.name) else {
            return refusal(format!(
                "Tried to cast object to type {} but object was missing attribute {}",
                formal.message_form(),
                attribute.name
            ));
        };
        if let Err(reason) = cast(&value, &attribute.ty, depth + 1) {
            return refusal(format!(
                "Could not cast attribute '{}' to type {}: {}",
                attribute.name,
                attribute.ty.message_form(),
                details(reason)
            ));
        }
    }
    refusal(format!("Unable to cast {} to {formal}", text(object)))
}

/// The member that is called as that of another enum, or why an object is none: what lacks of a member, or whose value is of
/// another kind.
fn namesake(object: &Bound<'_, PyAny>, ty: &Arc<EnumType>) -> Outcome<Value> {
    let part = |name: &str| {
        let part = object.getattr(name);
        part.map_err(|error| python_error(object, &error))
    };
    let (name, value) = (part("name")?, part("value")?);
    if plain(&value, &ty.value_type).is_none() {
        return Err(no_such(&value));
    }
    let name = text(&name);
    match ty.members.iter().position(|member| *member.0 == *name) {
        Some(index) => Ok(Value::Enum(Arc::new(EnumValue {
            ty: ty.clone(),
            index,
        }))),
        None => Err(Refusal::Whole(Fault::new(ErrorClass::Attribute, name))),
    }
}

/// The container behind a Python object that shares it with scripts.
fn held(object: &Bound<'_, PyAny>, formal: &Type) -> Option<Value> {
    if object.is_exact_instance_of::<PyList>() || object.is_exact_instance_of::<PyDict>() {
        return None;
    }
    let value = behind(object)?;
    value.type_of().is_subtype_of(formal).then_some(value)
}

fn plain(object: &Bound<'_, PyAny>, formal: &Type) -> Option<Value> {
    from_python(object, formal)
}

/// A number, a bool or text.
fn simple(object: &Bound<'_, PyAny>, formal: &Type) -> Option<Value> {
    if let Type::Str | Type::Dimname = formal
        && let Ok(bytes) = object.cast::<PyBytes>()
    {
        return Some(Value::Str(bytes.as_bytes().into()));
    }
    if let Type::Bool | Type::SymBool = formal {
        return truth(object).map(Value::Bool);
    }
    if let Some(scalar) = only_element(object) {
        return match formal.runtime() {
            Type::Int => Some(Value::Int(scalar.to_i64())),
            Type::Float => Some(Value::Float(scalar.to_f64())),
            Type::Complex => Some(Value::complex(scalar.to_complex())),
            _ => None,
        };
    }
    if object.is_instance_of::<PyBool>() && matches!(formal, Type::Float | Type::SymFloat) {
        return object
            .is_truthy()
            .ok()
            .map(|b| Value::Float(f64::from(u8::from(b))));
    }
    plain(object, formal).or_else(|| speaking(object, formal))
}

/// A number of an object that says which one it is: of NumPy's scalars, fractions, decimals.
fn speaking(object: &Bound<'_, PyAny>, formal: &Type) -> Option<Value> {
    let is_no_number = object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyFloat>()
        || object.hasattr("__len__").unwrap_or(true) && object.len().is_ok()
        || object.cast::<DTypeObject>().is_ok();
    if is_no_number {
        return None;
    }
    let said = |name: &str| object.call_method0(name).ok();
    match formal {
        Type::Int | Type::SymInt => said("__int__")?.extract().ok().map(Value::Int),
        Type::Float | Type::SymFloat => said("__float__")?.extract().ok().map(Value::Float),
        Type::Complex => {
            let said = said("__complex__").or_else(|| said("__float__"));
            complex_of(&said?).map(Value::complex)
        }
        _ => None,
    }
}

/// The truth of None and of objects that say what it is themselves; having a length is not enough.
fn truth(object: &Bound<'_, PyAny>) -> Option<bool> {
    let speaks = object.is_none()
        || object.is_instance_of::<PyInt>()
        || object.is_instance_of::<PyFloat>()
        || has_own_truth(object);
    speaks.then(|| object.is_truthy().ok())?
}

/// Whether the class of an object says what its truth is; classes have one themselves, which is not theirs.
fn has_own_truth(object: &Bound<'_, PyAny>) -> bool {
    let bases = object.get_type().mro();
    bases.iter().any(|base| {
        let names = base.getattr("__dict__");
        names.is_ok_and(|names| names.contains("__bool__").unwrap_or(false))
    })
}

fn only_element(object: &Bound<'_, PyAny>) -> Option<Scalar> {
    let tensor = object.cast::<PyTensor>().ok()?.borrow().0.clone();
    (tensor.numel() == 1).then(|| tensor.item().ok())?
}

fn device(object: &Bound<'_, PyAny>) -> Outcome<Value> {
    if let Some(device) = plain(object, &Type::Device) {
        return Ok(device);
    }
    let name = match object.cast::<PyBytes>() {
        Ok(bytes) => String::from_utf8_lossy(bytes.as_bytes()).into_owned(),
        Err(_) => object.extract::<String>().map_err(|_| no_such(object))?,
    };
    match Device::parse(&name) {
        Ok(device) => Ok(Value::Device(device)),
        Err(error) => Err(Refusal::Whole(Fault::runtime(error.to_string()))),
    }
}

fn items<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    object.try_iter()?.collect()
}

fn list(object: &Bound<'_, PyAny>, element: &Type, depth: usize) -> Outcome<Value> {
    if let Some(numbers) = numbers(object, element) {
        return Ok(numbers);
    }
    let is_simple = matches!(
        element,
        Type::Int | Type::Float | Type::Bool | Type::Complex | Type::Tensor(_)
    );
    let is_no_list = object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyDict>()
        || object.cast::<PyTensor>().is_ok();
    let is_iterator = object.cast::<PyIterator>().is_ok();
    if is_simple && is_no_list || is_iterator && (is_simple || *element == Type::Str) {
        return Err(no_such(object));
    }
    let items = items(object).map_err(|error| match is_simple {
        true => no_such(object),
        false => python_error(object, &error),
    })?;
    let values = items
        .iter()
        .map(|item| match element {
            Type::Tensor(_) => plain(item, element).ok_or_else(|| no_such(object)),
            // A dtype is an int of a parameter, but not of a list.
            Type::Int if item.cast::<DTypeObject>().is_ok() => Err(no_such(object)),
            _ => cast(item, element, depth + 1).map_err(|inner| match is_simple {
                true => no_such(object),
                false => inner,
            }),
        })
        .collect::<Outcome<Vec<Value>>>()?;
    Ok(list_of(element, values))
}

fn dict(object: &Bound<'_, PyAny>, key: &Type, value: &Type, depth: usize) -> Outcome<Value> {
    let source = match object.cast::<PyDict>() {
        Ok(dict) => dict.clone(),
        Err(_) => object
            .py()
            .get_type::<PyDict>()
            .call1((object,))
            .and_then(|d| d.cast_into::<PyDict>().map_err(PyErr::from))
            .map_err(|error| python_error(object, &error))?,
    };
    let out = Dict::new(key.clone(), value.clone());
    for (k, v) in source.iter() {
        let k = Key::new(cast(&k, key, depth + 1)?)
            .map_err(|error| refusal(error.message().to_string()))?;
        let v = cast(&v, value, depth + 1)?;
        out.items.lock().insert(k, v);
    }
    Ok(Value::Dict(Arc::new(out)))
}

fn sequence(
    object: &Bound<'_, PyAny>,
    tuple: &Arc<TupleType>,
    formal: &Type,
    depth: usize,
) -> Outcome<Value> {
    let items = items(object).map_err(|error| python_error(object, &error))?;
    if items.len() != tuple.elements.len() {
        return Err(refusal(format!(
            "Object {} had a different number of elements than type {formal}",
            text(object)
        )));
    }
    let values = items
        .iter()
        .zip(&tuple.elements)
        .map(|(item, ty)| cast(item, ty, depth + 1))
        .collect::<Outcome<Vec<Value>>>()?;
    Ok(Value::Tuple(Arc::new(Tuple {
        items: values.into(),
        ty: tuple.name.is_some().then(|| tuple.clone()),
    })))
}

/// The value that an object is by itself. Objects without one are refused before any argument is looked at.
fn inferred(object: &Bound<'_, PyAny>) -> Outcome<Value> {
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Ok(Value::Str(bytes.as_bytes().into()));
    }
    match untypable(object, 0) {
        None => infer(object).map_err(|_| no_such(object)),
        Some(reason) => {
            let known = match is_memory_format(object) {
                true => None,
                false => seams::inferred(object),
            };
            known.unwrap_or(Err(reason)).map_err(|reason| {
                let message = format!("Tracer cannot infer type of {}\n:{reason}", text(object));
                Refusal::Whole(Fault::runtime(message))
            })
        }
    }
}

/// Memory formats are numbers where one is wanted, and nothing by themselves.
fn is_memory_format(object: &Bound<'_, PyAny>) -> bool {
    type_name(object) == "memory_format"
}

/// Why an object has no type of its own; `None` where it has one.
fn untypable(object: &Bound<'_, PyAny>, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return Some("it is nested too deeply".into());
    }
    if let Ok(list) = object.cast::<PyList>() {
        if list.is_empty() {
            return Some("List trace inputs must have elements".into());
        }
        let items: Vec<_> = list.iter().collect();
        return mixed(
            &items,
            depth,
            "List inputs to traced functions must have consistent element type. Found",
        );
    }
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return tuple.iter().find_map(|item| untypable(&item, depth + 1));
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        if dict.is_empty() {
            return Some("Dictionary inputs must have entries".into());
        }
        let (keys, values): (Vec<_>, Vec<_>) = dict.iter().unzip();
        let message = "Dictionary inputs to traced functions must have consistent type. Found";
        return mixed(&keys, depth, message).or_else(|| mixed(&values, depth, message));
    }
    match infer(object) {
        _ if is_memory_format(object) => Some(not_supported(object)),
        Ok(Value::Foreign(_)) => Some(not_supported(object)),
        _ => None,
    }
}

/// Why objects are not all of one type.
fn mixed(items: &[Bound<'_, PyAny>], depth: usize, message: &str) -> Option<String> {
    let mut first: Option<Type> = None;
    for item in items {
        if let Some(reason) = untypable(item, depth + 1) {
            return Some(reason);
        }
        let ty = infer(item).ok()?.type_of();
        first = match first {
            None => Some(ty),
            Some(known) => match unify(&known, &ty, false) {
                Some(both) => Some(both),
                None => return Some(format!("{message} {known} and {ty}")),
            },
        };
    }
    None
}
