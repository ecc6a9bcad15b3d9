//! Values as Python objects.

use super::depth::MAX_DEPTH;
use crate::handles::{ScriptFunction, ScriptObject, Shared};
use crate::identity::tensor_object;
use crate::objects::{DeviceObject, GeneratorObject};
use crate::{errors, registry, state};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyRecursionError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyComplex, PyDict, PyList, PyString, PyTuple};
use rushlight::Value;
use rushlight::ir::Unit;
use rushlight::types::Object;
use std::sync::Arc;

/// The Python class that the objects of a script class come back as.
fn python_class<'py>(py: Python<'py>, object: &Object) -> Option<Bound<'py, PyAny>> {
    let class = object.class();
    if class.is_module() {
        return None;
    }
    state::class_of(py, class.name())
}

/// The instance of a plain Python class that an object comes back as; None where there is no such class.
fn python_instance<'py>(py: Python<'py>, object: &Object) -> Option<PyResult<Bound<'py, PyAny>>> {
    python_class(py, object).map(|class| instance_of(&class, object, 0))
}

/// An instance of a Python class with the attributes of a script object.
fn instance_of<'py>(
    class: &Bound<'py, PyAny>,
    object: &Object,
    depth: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let out = class.call_method1("__new__", (class,))?;
    for attribute in object.class().attributes() {
        if let Some(value) = object.get(&attribute.name) {
            out.setattr(&*attribute.name, to_python_at(py, &value, depth + 1)?)?;
        }
    }
    Ok(out)
}

/// A value as a Python object.
pub fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    to_python_at(py, value, 0)
}

fn to_python_at<'py>(py: Python<'py>, value: &Value, depth: usize) -> PyResult<Bound<'py, PyAny>> {
    if depth > MAX_DEPTH {
        return Err(PyRecursionError::new_err("this value is nested too deeply"));
    }
    let each = |items: Vec<Value>| -> PyResult<Vec<Bound<'py, PyAny>>> {
        items
            .iter()
            .map(|v| to_python_at(py, v, depth + 1))
            .collect()
    };
    match value {
        Value::None | Value::Uninitialized => Ok(py.None().into_bound(py)),
        Value::Bool(b) => (*b).into_bound_py_any(py),
        Value::Int(i) => (*i).into_bound_py_any(py),
        Value::Float(f) => (*f).into_bound_py_any(py),
        Value::Complex(c) => Ok(PyComplex::from_doubles(py, c.re, c.im).into_any()),
        Value::Str(s) => match s.text() {
            Some(text) => Ok(PyString::new(py, text).into_any()),
            // Python says what is wrong with bytes that are no text.
            None => PyBytes::new(py, s.as_bytes()).call_method1("decode", ("utf-8",)),
        },
        Value::Tensor(t) => tensor_object(py, t.clone()),
        Value::Device(d) => DeviceObject(*d).into_bound_py_any(py),
        Value::Generator(g) => GeneratorObject(g.clone()).into_bound_py_any(py),
        Value::IntList(l) => {
            let items = l.lock().clone();
            Ok(PyList::new(py, items)?.into_any())
        }
        Value::FloatList(l) => {
            let items = l.lock().clone();
            Ok(PyList::new(py, items)?.into_any())
        }
        Value::BoolList(_) | Value::TensorList(_) | Value::List(_) => {
            let items = each(value.list_items().map_err(errors::fault)?)?;
            Ok(PyList::new(py, items)?.into_any())
        }
        Value::Dict(d) => {
            let out = PyDict::new(py);
            for (k, v) in d.entries() {
                out.set_item(
                    to_python_at(py, &k, depth + 1)?,
                    to_python_at(py, &v, depth + 1)?,
                )?;
            }
            Ok(out.into_any())
        }
        Value::Tuple(t) => {
            let items = each(t.items.to_vec())?;
            match t
                .ty
                .as_ref()
                .and_then(|ty| ty.name.as_ref().map(|name| (ty, name)))
                .filter(|(_, name)| name.contains('.'))
            {
                Some((ty, name)) => {
                    named_tuple_class(py, name, &ty.fields)?.call1(PyTuple::new(py, items)?)
                }
                None => Ok(PyTuple::new(py, items)?.into_any()),
            }
        }
        Value::Object(o) => match python_class(py, o) {
            Some(class) => instance_of(&class, o, depth),
            None => wrapped(py, o.clone(), None),
        },
        Value::Enum(e) => match state::class_of(py, &e.ty.name) {
            Some(class) => class.getattr(&**e.name()),
            None => to_python_at(py, e.value(), depth + 1),
        },
        Value::Future(_) => {
            let shared = Shared {
                value: value.clone(),
            };
            registry::registered(py, "Future")?.call1((shared,))
        }
        Value::Await(_) => {
            let shared = Shared {
                value: value.clone(),
            };
            registry::registered(py, "Await")?.call1((shared,))
        }
        Value::Function(f) => ScriptFunction::from_callable((**f).clone()).into_bound_py_any(py),
        Value::Foreign(inner) => match inner.downcast_ref::<Py<PyAny>>() {
            Some(object) => Ok(object.bind(py).clone()),
            None if rushlight::types::RRef::of(value).is_some() => {
                let shared = Shared {
                    value: value.clone(),
                };
                registry::registered(py, "RRef")?.call1((shared,))
            }
            None => Err(PyTypeError::new_err("this value has no form in Python")),
        },
    }
}

/// The class that NamedTuples of a type come back as: one made of the fields, not the program's own, as in the reference.
fn named_tuple_class<'py>(
    py: Python<'py>,
    name: &str,
    fields: &[Arc<str>],
) -> PyResult<Bound<'py, PyAny>> {
    // Programs make several of one name.
    let given = format!("given {name}({})", fields.join(","));
    if let Some(class) = state::class_of(py, &given) {
        return Ok(class);
    }
    let base = name.rsplit('.').next().unwrap_or(name);
    let fields: Vec<&str> = fields.iter().map(|f| &**f).collect();
    let home = PyDict::new(py);
    home.set_item("module", "torch._jit_internal")?;
    let class = py
        .import("collections")?
        .getattr("namedtuple")?
        .call((base, fields), Some(&home))?;
    state::remember_class(&given, &class);
    Ok(class)
}

/// A script object as Python sees it: `unit` is where its methods live, the process's own by default.
pub fn wrapped<'py>(
    py: Python<'py>,
    object: Arc<Object>,
    unit: Option<Arc<Unit>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(found) = python_instance(py, &object) {
        return found;
    }
    let unit = unit.unwrap_or_else(|| state::unit().clone());
    let is_module = object.class().is_module();
    let inner = ScriptObject::of(object, unit).into_bound_py_any(py)?;
    match registry::registered(py, "wrap_object") {
        Ok(wrap) => wrap.call1((inner, is_module)),
        Err(_) => Ok(inner),
    }
}
