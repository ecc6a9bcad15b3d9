//! Why a Python object is no value of a type, in the reference's words.

use crate::convert::{from_python, type_name};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use rushlight::types::Type;

/// What went wrong: a cast, or a Python error on the way.
pub enum Failure {
    Cast(String),
    Python(String),
}

/// The failure of an object that is no value of a type.
pub fn failure(object: &Bound<'_, PyAny>, formal: &Type) -> Failure {
    match formal {
        Type::Int
        | Type::Float
        | Type::Bool
        | Type::Str
        | Type::Number
        | Type::Complex
        | Type::Device => unable(object),
        Type::None => Failure::Cast(format!("Cannot cast {} to None", text(object))),
        Type::Optional(inner) => failure(object, inner),
        Type::Union(_) => Failure::Cast(format!(
            "Expected a member of {formal} but instead found type {}",
            type_name(object)
        )),
        Type::List(element) => list(object, element),
        Type::Dict(types) => dict(object, &types.0, &types.1),
        Type::Tuple(tuple) => elements(object, &tuple.elements, formal),
        _ => Failure::Cast(format!("Unable to cast {} to {formal}", text(object))),
    }
}

fn text(object: &Bound<'_, PyAny>) -> String {
    object.str().map_or_else(|_| "?".into(), |s| s.to_string())
}

fn unable(object: &Bound<'_, PyAny>) -> Failure {
    let class = object
        .get_type()
        .repr()
        .map_or_else(|_| "?".into(), |r| r.to_string());
    Failure::Cast(format!(
        "Unable to cast Python instance of type {class} to C++ type '?' (#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"
    ))
}

fn not_iterable(object: &Bound<'_, PyAny>) -> Failure {
    Failure::Python(format!(
        "TypeError: '{}' object is not iterable",
        type_name(object)
    ))
}

/// Lists of numbers and tensors are cast as a whole, others element by element.
fn list(object: &Bound<'_, PyAny>, element: &Type) -> Failure {
    let whole = matches!(
        element,
        Type::Int | Type::Float | Type::Bool | Type::Tensor(_)
    );
    if whole {
        return unable(object);
    }
    let Ok(items) = object.try_iter() else {
        return not_iterable(object);
    };
    for item in items.flatten() {
        if from_python(&item, element).is_none() {
            return failure(&item, element);
        }
    }
    unable(object)
}

fn dict(object: &Bound<'_, PyAny>, key: &Type, value: &Type) -> Failure {
    let Ok(dict) = object.cast::<PyDict>() else {
        return not_iterable(object);
    };
    for (k, v) in dict.iter() {
        if from_python(&k, key).is_none() {
            return failure(&k, key);
        }
        if from_python(&v, value).is_none() {
            return failure(&v, value);
        }
    }
    unable(object)
}

fn elements(object: &Bound<'_, PyAny>, types: &[Type], formal: &Type) -> Failure {
    if object.cast::<PyTuple>().is_err() && object.cast::<PyList>().is_err() {
        return not_iterable(object);
    }
    let items: Vec<Bound<'_, PyAny>> = object
        .try_iter()
        .map(|items| items.flatten().collect())
        .unwrap_or_default();
    if items.len() != types.len() {
        return Failure::Cast(format!(
            "Object {} had a different number of elements than type {formal}",
            text(object)
        ));
    }
    for (item, ty) in items.iter().zip(types) {
        if from_python(item, ty).is_none() {
            return failure(item, ty);
        }
    }
    unable(object)
}
