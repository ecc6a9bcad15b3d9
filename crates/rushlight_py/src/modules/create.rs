//! Objects of module types: submodules first, then the values, then the methods of the type if they are not compiled yet.

use super::compile::{self, Methods};
use super::infer::{Child, Inferred};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rushlight::Value;
use rushlight::types::{Object, Type};
use std::sync::Arc;

/// Makes the object of an instance; `definitions` are texts of methods that its type has besides.
pub fn create(
    py: Python<'_>,
    inferred: &Inferred,
    which: Methods,
    definitions: &[(String, Bound<'_, PyAny>)],
) -> PyResult<Arc<Object>> {
    let concrete = &inferred.concrete;
    // What cannot be read is told before submodules are compiled.
    compile::read(py, concrete, which)?;
    let object = Object::new(concrete.class.clone());
    for (i, value) in inferred.values.iter().enumerate() {
        object.set_slot(i, value.clone());
    }
    let first = inferred.values.len();
    for (i, child) in inferred.children.iter().enumerate() {
        let made = match child {
            Child::New(inner) => create(py, inner, which, &[])?,
            Child::Known(object) => object.clone(),
        };
        let (name, part) = &concrete.shape.parts[i];
        if let Type::Interface(_) = part.ty() {
            compile::for_interface(py, &made, &part.ty())?;
            let context = format!("Could not cast attribute '{name}' to type {}: ", part.ty());
            check_interface(&context, &made, &part.ty())?;
        }
        object.set_slot(first + i, Value::Object(made));
    }
    for (source, scope) in definitions {
        compile::define(py, &concrete.class, (source, scope), true)?;
    }
    compile::methods(py, concrete, which)?;
    Ok(object)
}

/// Raises when an object lacks what an interface asks for; `context` stands before the message.
pub fn check_interface(context: &str, object: &Arc<Object>, interface: &Type) -> PyResult<()> {
    match interface {
        Type::Interface(wanted) if !object.ty().is_subtype_of(interface) => Err(
            PyRuntimeError::new_err(format!("{context}{}", wanted.refusal(object.class()))),
        ),
        _ => Ok(()),
    }
}
