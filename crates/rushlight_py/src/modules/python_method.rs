//! Methods of modules that stay in Python, as scripts call them.

use super::sources::source;
use super::value::ModuleValue;
use crate::errors::{from_python_error, module_problem};
use crate::python_call::{PythonCall, PythonFunction};
use crate::state;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rushlight::frontend::script::signature;
use rushlight::frontend::{Outcome, Sugared};
use rushlight::syntax::Span;
use std::sync::Arc;

/// A method of a module that stays in Python; calls of an unused one raise.
pub fn method(
    module: &ModuleValue,
    info: &Bound<'_, PyDict>,
    unused: bool,
    span: &Span,
) -> Outcome<Sugared> {
    let py = info.py();
    let fail = |e: PyErr| from_python_error(py, &e, span);
    let source = source(&module.concrete, info.as_any()).map_err(fail)?;
    if source.def.params.0.is_empty() {
        let text = "Non-static method does not have a self argument";
        return Err(module_problem(text.into(), span));
    }
    let mut schema = signature(
        &state::compiler(),
        "lazy_bind.<locals>.lazy_binding_method",
        &source,
    )?;
    // Python knows the defaults, but scripts must give every argument.
    for argument in &mut schema.arguments {
        argument.default = None;
    }
    let function = info
        .get_item("key")
        .map_err(fail)?
        .ok_or_else(|| module_problem("a Python function without its object".into(), span))?;
    Ok(Sugared::special(PythonCall {
        first: Some(module.value),
        function: Arc::new(PythonFunction::named(
            source.def.name.name.to_string(),
            schema,
            function.unbind(),
        )),
        unused,
    }))
}
