//! Script objects of modules that are traced.

use crate::handles::ScriptObject;
use crate::identity::{PyTensor, tensor_of};
use crate::modules::{self, concrete};
use crate::state;
use pyo3::prelude::*;
use rushlight::Value;
use rushlight::types::{AttributeKind, ClassType, Object, Type};
use std::sync::Arc;

/// The script object of a module that is to be traced: its parameters, buffers and submodules, without methods.
#[pyfunction]
pub fn traced_object<'py>(module: &Bound<'py, PyAny>) -> PyResult<Bound<'py, ScriptObject>> {
    let object = build_object(module)?;
    Bound::new(module.py(), ScriptObject::of(object, state::unit().clone()))
}

/// The object of a module; every place where a module stands has one, as in the reference.
fn build_object(module: &Bound<'_, PyAny>) -> PyResult<Arc<Object>> {
    if let Ok(inner) = module.getattr("__dict__")?.get_item("_c") {
        return Ok(inner.cast::<ScriptObject>()?.borrow().object.clone());
    }
    let facts = concrete::facts_of(module.get_type().as_any())?;
    let exported = facts
        .object
        .bind(module.py())
        .call_method0("exported_methods")?;
    if exported.is_truthy()? {
        return modules::object_to_trace(module.py(), module);
    }
    let mut slots: Vec<(String, Type, AttributeKind, Value)> = Vec::new();
    for (table, kind) in [
        ("_parameters", AttributeKind::Parameter),
        ("_buffers", AttributeKind::Buffer),
    ] {
        for entry in module.getattr(table)?.call_method0("items")?.try_iter()? {
            let (name, held): (String, Bound<'_, PyAny>) = entry?.extract()?;
            if let Ok(tensor) = held.cast::<PyTensor>() {
                let value = Value::Tensor(tensor_of(tensor));
                slots.push((name, Type::TENSOR, kind, value));
            }
        }
    }
    let training: bool = module.getattr("training")?.is_truthy()?;
    let plain = AttributeKind::Plain;
    slots.push(("training".into(), Type::Bool, plain, Value::Bool(training)));
    let hook = Type::optional(Type::Bool);
    slots.push(("_is_full_backward_hook".into(), hook, plain, Value::None));
    for entry in module
        .getattr("_modules")?
        .call_method0("items")?
        .try_iter()?
    {
        let (name, inner): (String, Bound<'_, PyAny>) = entry?.extract()?;
        if !inner.is_none() {
            let object = build_object(&inner)?;
            slots.push((name, object.ty(), plain, Value::Object(object)));
        }
    }
    let unit = state::unit();
    let name = unit.free_name(&facts.qualified);
    let class = ClassType::new(&name, true);
    for (name, ty, kind, _) in &slots {
        class.add_attribute(name, ty.clone(), *kind);
    }
    unit.add_type(&name, Type::Class(class.clone()));
    let object = Object::new(class);
    for (i, (_, _, _, value)) in slots.into_iter().enumerate() {
        object.set_slot(i, value);
    }
    Ok(object)
}
