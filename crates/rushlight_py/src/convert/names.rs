//! The names of types of Python objects, as messages show them.

use crate::identity::PyTensor;
use pyo3::prelude::*;

/// What is said of an object that no value of scripts stands for.
pub fn not_supported(object: &Bound<'_, PyAny>) -> String {
    format!(
        "Only tensors and (possibly nested) tuples of tensors, lists, or dicts are supported as inputs or outputs of traced functions, but instead got value of type {}.",
        type_name(object)
    )
}

/// The name of an object's type, as messages show it.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    // The class of tensors has a class of its own in the reference.
    if object.is(object.py().get_type::<PyTensor>()) {
        return "_TensorMeta".into();
    }
    let name = object.get_type().name();
    match name.map_or_else(|_| "?".into(), |n| n.to_string()) {
        // What stands for functions of C.
        name if name == "Builtin" => "builtin_function_or_method".into(),
        name => name,
    }
}

/// As [`type_name`], with the module of types that are no classes of Python: `torch.dtype`, `collections.deque`.
#[pyfunction]
pub fn shown_type(object: &Bound<'_, PyAny>) -> String {
    let name = type_name(object);
    let kind = object.get_type();
    let module = kind
        .module()
        .map_or_else(|_| String::new(), |m| m.to_string());
    if matches!(&*module, "torch" | "torch._C" | "rushlight" | "builtins") {
        return match &*name {
            "dtype" | "device" | "layout" | "memory_format" | "Size" | "qscheme" | "finfo"
            | "iinfo" => format!("torch.{name}"),
            "Generator" => format!("torch._C.{name}"),
            _ => name,
        };
    }
    let flags = kind
        .getattr("__flags__")
        .and_then(|flags| flags.extract::<u64>());
    let is_class = flags.is_ok_and(|flags| flags & HEAP_TYPE != 0);
    match is_class && module != "numpy" && name != "UntypedStorage" {
        true => name,
        false => format!("{module}.{name}"),
    }
}

/// The flag of types that are made while a program runs, as classes are.
const HEAP_TYPE: u64 = 1 << 9;
