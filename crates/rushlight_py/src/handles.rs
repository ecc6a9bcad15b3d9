//! What Python holds of scripts: script objects, compiled functions and values by reference. What Python can do with them
//! stands in `module.rs`, `script.rs` and `shared.rs`.

use pyo3::prelude::*;
use rushlight::Value;
use rushlight::ir::{Function, Unit};
use rushlight::types::{Callable, Object};
use std::sync::Arc;

/// An instance of a script class or module.
#[pyclass(name = "ScriptObject", module = "torch", subclass, dict, weakref)]
pub struct ScriptObject {
    pub object: Arc<Object>,
    /// The unit with the bodies of its methods.
    pub unit: Arc<Unit>,
    /// Extra files of the archive it was loaded from.
    pub extra: Arc<Vec<(String, Vec<u8>)>>,
}

impl ScriptObject {
    /// An object whose methods live in a unit.
    pub fn of(object: Arc<Object>, unit: Arc<Unit>) -> ScriptObject {
        ScriptObject {
            object,
            unit,
            extra: Arc::default(),
        }
    }
}

/// `torch.jit.ScriptFunction`.
#[pyclass(
    name = "ScriptFunction",
    module = "torch.jit",
    dict,
    weakref,
    from_py_object
)]
#[derive(Clone)]
pub struct ScriptFunction {
    /// What is called: a function of a unit, or what stands for one.
    pub callable: Arc<dyn Callable>,
    /// The unit, kept alive by those who call into it.
    _unit: Option<Arc<Unit>>,
}

impl ScriptFunction {
    /// A function of a unit.
    pub fn of(function: &Arc<Function>) -> ScriptFunction {
        ScriptFunction {
            callable: function.clone(),
            _unit: function.unit(),
        }
    }

    /// Any callable.
    pub fn from_callable(callable: Arc<dyn Callable>) -> ScriptFunction {
        ScriptFunction {
            callable,
            _unit: None,
        }
    }

    /// The function as a value of a script.
    pub fn as_value(&self) -> Value {
        Value::Function(Arc::new(self.callable.clone()))
    }

    /// The function of the unit behind, if it is one.
    pub fn function(&self) -> Option<Arc<Function>> {
        self.callable
            .as_any()
            .downcast_ref::<Function>()
            .map(Function::handle)
    }
}

/// A script value that is not copied when it goes into a script or comes out. The classes of Python that programs see
/// keep one under the name `_shared`.
#[pyclass(name = "Shared", module = "torch._C", frozen)]
pub struct Shared {
    /// What is held.
    pub value: Value,
}

/// The script value behind a Python object, if it keeps one.
pub fn behind(object: &Bound<'_, PyAny>) -> Option<Value> {
    let shared = object.getattr("_shared").ok()?;
    let shared = shared.cast::<Shared>().ok()?;
    Some(shared.get().value.clone())
}
