//! The names of types of Python objects, as messages show them.

use crate::identity::PyTensor;
use pyo3::prelude::*;

/// The name of an object's type, as messages show it.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    // The class of tensors has a class of its own in the reference.
    if object.is(object.py().get_type::<PyTensor>()) {
        return "_TensorMeta".into();
    }
    object
        .get_type()
        .name()
        .map_or_else(|_| "?".into(), |n| n.to_string())
}

/// As [`type_name`], with the module of the types that belong to `torch` or `numpy`: `torch.dtype`.
pub fn shown_type(object: &Bound<'_, PyAny>) -> String {
    let name = type_name(object);
    if object.get_type().module().is_ok_and(|m| m == "numpy") {
        return format!("numpy.{name}");
    }
    match &*name {
        "dtype" | "device" | "layout" | "memory_format" | "Generator" | "Size" | "qscheme" => {
            format!("torch.{name}")
        }
        _ => name,
    }
}
