//! Script values that Python holds by reference: lists and dicts of `torch.jit.script([...])`, futures.

use crate::convert::{from_python, infer, to_python};
use crate::handles::Shared;
use crate::modules::inferred;
use crate::{errors, state};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use rushlight::Value;
use rushlight::types::{Type, print_text};

#[pymethods]
impl Shared {
    #[new]
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Shared> {
        // Of an empty container nothing says what it holds: tensors, as everywhere.
        let value = match object.len() {
            Ok(0) => infer(object)?,
            _ => inferred(object)?.map_err(PyRuntimeError::new_err)?,
        };
        Ok(Shared { value })
    }

    /// A copy as a Python object.
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.value)
    }

    /// How a script prints the value.
    fn text(&self) -> String {
        print_text(&self.value)
    }

    /// Whether an object could be an element, or a value of a dict.
    fn takes(&self, object: &Bound<'_, PyAny>) -> bool {
        match self.value.type_of() {
            Type::List(element) => from_python(object, &element).is_some(),
            Type::Dict(kv) => from_python(object, &kv.1).is_some(),
            _ => false,
        }
    }

    /// Whether an object could be a key.
    fn takes_key(&self, object: &Bound<'_, PyAny>) -> bool {
        match self.value.type_of() {
            Type::Dict(kv) => from_python(object, &kv.0).is_some(),
            _ => false,
        }
    }

    /// Puts other content in; everybody who holds the value sees it.
    fn replace(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let unfit = || PyTypeError::new_err("the content does not have the type of the value");
        let new = from_python(object, &self.value.type_of()).ok_or_else(unfit)?;
        match (&self.value, &new) {
            (Value::IntList(old), Value::IntList(new)) => *old.lock() = new.lock().clone(),
            (Value::FloatList(old), Value::FloatList(new)) => *old.lock() = new.lock().clone(),
            (Value::BoolList(old), Value::BoolList(new)) => *old.lock() = new.lock().clone(),
            (Value::TensorList(old), Value::TensorList(new)) => *old.lock() = new.lock().clone(),
            (Value::List(old), Value::List(new)) => {
                *old.items.lock() = new.items.lock().clone();
            }
            (Value::Dict(old), Value::Dict(new)) => {
                *old.items.lock() = new.items.lock().clone();
            }
            _ => return Err(unfit()),
        }
        Ok(())
    }

    /// The result of a future, or of a call that has not been made.
    fn wait<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.value {
            Value::Future(future) => match py.detach(|| future.wait()) {
                Ok(value) => to_python(py, &value),
                Err(fault) => Err(errors::script_fault(py, fault)),
            },
            Value::Await(call) => match call.get() {
                Ok(value) => to_python(py, &value),
                Err((callee, arguments)) => {
                    let value = py
                        .detach(|| callee.invoke(state::context(), arguments))
                        .map_err(|fault| errors::script_fault(py, fault))?;
                    call.set(value.clone());
                    to_python(py, &value)
                }
            },
            other => to_python(py, other),
        }
    }
}
