//! Objects of module types: submodules first, then the values, then the methods of the type if they are not compiled yet.

use super::compile::{self, Methods};
use super::infer::{Child, Inferred};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rushlight::Value;
use rushlight::types::{ClassType, Object, Type};
use std::sync::Arc;

/// Makes the object of an instance.
pub fn create(py: Python<'_>, inferred: &Inferred, which: Methods) -> PyResult<Arc<Object>> {
    let concrete = &inferred.concrete;
    let object = Object::new(concrete.class.clone());
    for (i, value) in inferred.values.iter().enumerate() {
        object.set_slot(i, value.clone());
    }
    let first = inferred.values.len();
    for (i, child) in inferred.children.iter().enumerate() {
        let made = match child {
            Child::New(inner) => create(py, inner, which)?,
            Child::Known(object) => object.clone(),
        };
        let (_, part) = &concrete.shape.parts[i];
        if let Type::Interface(_) = part.ty() {
            compile::for_interface(py, &made, &part.ty())?;
            check_interface(&made, &part.ty())?;
        }
        object.set_slot(first + i, Value::Object(made));
    }
    compile::methods(py, concrete, which)?;
    Ok(object)
}

/// Raises when an object lacks what an interface asks for.
pub fn check_interface(object: &Arc<Object>, interface: &Type) -> PyResult<()> {
    if object.ty().is_subtype_of(interface) {
        return Ok(());
    }
    let class = object.class();
    Err(PyRuntimeError::new_err(format!(
        "Object of type {} (of Python compilation unit at: {:#x}) is not compatible with interface {interface}\n{}",
        class.name(),
        unit_address(),
        lacking(class, interface)
    )))
}

/// What a class lacks of an interface, as a line.
pub fn lacking(class: &ClassType, interface: &Type) -> String {
    let Type::Interface(wanted) = interface else {
        return String::new();
    };
    let missing = wanted
        .methods()
        .iter()
        .find(|method| class.method(&method.name).is_none());
    match missing {
        Some(method) => format!(
            "Class '{} (of Python compilation unit at: {:#x})' does not have method '{}' but '{}' does.\n",
            class.name(),
            unit_address(),
            method.name,
            wanted.name
        ),
        None => format!(
            "Class '{}' has methods of other types than '{}'.\n",
            class.name(),
            wanted.name
        ),
    }
}

/// The address that messages show for the unit.
pub fn unit_address() -> usize {
    Arc::as_ptr(crate::state::unit()) as usize
}
