//! `torch.jit.script(module)`: types of module instances, shared between equal ones, and the objects made of them.
//!
//! [`infer`] walks an instance and finds its [`concrete::Concrete`] type; [`create`] makes the script objects, submodules
//! first, and has [`compile`] compile the methods of each type once. Inside scripts a module is a [`value::ModuleValue`].

mod attributes;
mod compile;
pub mod concrete;
mod container;
mod create;
pub mod frozen;
mod hooks;
mod infer;
mod overload;
mod python_method;
mod sources;
mod swap;
mod value;

use crate::handles::ScriptObject;
use crate::state;
use compile::Methods;
use infer::Sharing;
use pyo3::prelude::*;
use rushlight::syntax::stack::with_room;
use rushlight::types::Object;
use std::sync::Arc;

pub use hooks::run as run_hooked;
pub use infer::inferred;
pub use swap::set_attribute;

/// Scripts a module: its object, with the methods of its type compiled, after those that the program has defined from
/// texts (and the scopes of their names). With such, the type is its own; so are all types where none are to be shared.
#[pyfunction]
#[pyo3(signature = (module, definitions=Vec::new(), share_types=true))]
pub fn script_module<'py>(
    py: Python<'py>,
    module: &Bound<'py, PyAny>,
    definitions: Vec<(String, Bound<'py, PyAny>)>,
    share_types: bool,
) -> PyResult<Bound<'py, ScriptObject>> {
    let sharing = match definitions.is_empty() {
        _ if !share_types => Sharing::Nothing,
        true => Sharing::All,
        false => Sharing::Parts,
    };
    // One stack for all methods of all submodules: each would have one made for itself.
    let object = with_room(|| {
        let inferred = infer::infer(module, sharing, 0)?;
        create::create(py, &inferred, Methods::Entries, &definitions)
    })?;
    Bound::new(py, ScriptObject::of(object, state::unit().clone()))
}

/// The object of a module that is to be traced and has exported methods: those are scripts, the others will be traced.
pub fn object_to_trace(py: Python<'_>, module: &Bound<'_, PyAny>) -> PyResult<Arc<Object>> {
    let inferred = infer::infer(module, Sharing::Nothing, 0)?;
    create::create(py, &inferred, Methods::Exported, &[])
}

/// Compiles methods from a source text into the type of a module: `ScriptModule.define`.
#[pyfunction]
pub fn define_methods(
    py: Python<'_>,
    object: &ScriptObject,
    source: &str,
    scope: &Bound<'_, PyAny>,
) -> PyResult<()> {
    compile::define(py, object.object.class(), (source, scope), false)
}

/// The facts of the Python class that an object's type was made for; None for loaded ones.
#[pyfunction]
pub fn facts_of(py: Python<'_>, object: &ScriptObject) -> Option<Py<PyAny>> {
    concrete::of_class(object.object.class()).map(|c| c.facts.object.clone_ref(py))
}

/// Begins anew: what is scripted from here on knows nothing of what was scripted before, and has all names to itself.
/// Types of modules that live stay, but no new instance shares them.
#[pyfunction]
pub fn clear_class_registry() {
    state::renew_unit();
    concrete::forget_types();
}
