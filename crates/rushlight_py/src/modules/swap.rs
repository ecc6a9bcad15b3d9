//! Attributes of scripted modules set from Python, submodules included.

use super::{concrete, create};
use crate::call;
use crate::convert::from_python;
use pyo3::exceptions::{PyAttributeError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::Value;
use rushlight::ir::Unit;
use rushlight::types::{Callable, Object, Type};
use std::sync::Arc;

/// `object.name = value`, checked against the type of the attribute.
pub fn set_attribute(
    py: Python<'_>,
    object: &Arc<Object>,
    unit: &Unit,
    name: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let class = object.class();
    if let Some(attribute) = class.attribute(name) {
        if let Type::Interface(_) = &attribute.ty {
            return set_module(object, name, value, &attribute.ty);
        }
        if let (Type::Class(wanted), Some(Value::Object(given))) =
            (&attribute.ty, from_python(value, &Type::AnyClass))
            && wanted.is_module()
            && !Arc::ptr_eq(wanted, given.class())
        {
            let unit = std::ptr::from_ref(unit) as usize;
            return Err(PyRuntimeError::new_err(format!(
                "Expected a value of type '{} (of Python compilation unit at: {unit:#x})' for field '{name}', but found '{} (of Python compilation unit at: {unit:#x})'",
                wanted.name(),
                given.class().name()
            )));
        }
        object.set(name, concrete::cast_attribute(name, value, &attribute.ty)?);
        return Ok(());
    }
    if let Some(constant) = class.constant(name) {
        return Err(PyRuntimeError::new_err(format!(
            "Can't set constant '{name}' which has value:{}",
            rushlight::types::print_text(&constant)
        )));
    }
    if let Some(property) = class.property(name) {
        let setter = property
            .setter
            .and_then(|setter| unit.method(class, &setter));
        let Some(function) = setter else {
            return Err(PyAttributeError::new_err(format!(
                "can't set attribute '{name}'"
            )));
        };
        let args = PyTuple::new(py, [value])?;
        let arguments = call::bind(
            &function.schema(),
            Some(Value::Object(object.clone())),
            &args,
            None,
        )?;
        let callable: Arc<dyn Callable> = function;
        return call::run(py, &callable, arguments).map(drop);
    }
    Err(PyAttributeError::new_err(format!(
        "'{}' object has no attribute '{name}'",
        class.basename()
    )))
}

/// A module in the place of another that is known by an interface. Methods that nobody has compiled do not count.
fn set_module(
    object: &Arc<Object>,
    name: &str,
    value: &Bound<'_, PyAny>,
    ty: &Type,
) -> PyResult<()> {
    let Some(Value::Object(module)) = from_python(value, &Type::AnyClass) else {
        object.set(name, concrete::cast_attribute(name, value, ty)?);
        return Ok(());
    };
    create::check_interface("", &module, ty)?;
    object.set(name, Value::Object(module));
    Ok(())
}
