//! Objects of module types: submodules first, then the values, then the methods of the type if they are not compiled yet.

use super::compile;
use super::infer::{Child, Inferred};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rushlight::Value;
use rushlight::types::{Object, Type};
use std::sync::Arc;

/// Makes the object of an instance.
pub fn create(py: Python<'_>, inferred: &Inferred) -> PyResult<Arc<Object>> {
    let concrete = &inferred.concrete;
    let object = Object::new(concrete.class.clone());
    for (i, value) in inferred.values.iter().enumerate() {
        object.set_slot(i, value.clone());
    }
    let first = inferred.values.len();
    for (i, child) in inferred.children.iter().enumerate() {
        let made = match child {
            Child::New(inner) => create(py, inner)?,
            Child::Known(object) => object.clone(),
        };
        let (name, part) = &concrete.shape.parts[i];
        if let Type::Interface(_) = part.ty() {
            compile::for_interface(py, &made, &part.ty())?;
            check_interface(&made, &part.ty(), name)?;
        }
        object.set_slot(first + i, Value::Object(made));
    }
    compile::methods(py, concrete)?;
    Ok(object)
}

/// Raises when an object lacks what an interface asks for.
pub fn check_interface(object: &Arc<Object>, interface: &Type, _name: &str) -> PyResult<()> {
    if object.ty().is_subtype_of(interface) {
        return Ok(());
    }
    let class = object.class();
    let Type::Interface(wanted) = interface else {
        return Ok(());
    };
    let unit = Arc::as_ptr(crate::state::unit()) as usize;
    let mut message = format!(
        "Object of type {} (of Python compilation unit at: {unit:#x}) is not compatible with interface {}\n",
        class.name(),
        wanted.name
    );
    for method in wanted.methods() {
        if class.method(&method.name).is_none() {
            message.push_str(&format!(
                "Class '{} (of Python compilation unit at: {unit:#x})' does not have method '{}' but '{}' does.\n",
                class.name(),
                method.name,
                wanted.name
            ));
            break;
        }
    }
    Err(PyRuntimeError::new_err(message))
}
