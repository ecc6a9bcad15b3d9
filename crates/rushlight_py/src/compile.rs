//! Scripting: Python functions and classes into the unit, compiled.

use crate::classes::{compile_methods, described_class};
use crate::definition::{declared_function, declared_overloads};
use crate::handles::ScriptFunction;
use crate::{errors, state};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::syntax::Span;

/// The functions that an overloaded function becomes, compiled.
#[pyfunction]
pub fn script_overloads(
    py: Python<'_>,
    declarations: Vec<Py<PyAny>>,
    implementation: &Bound<'_, PyAny>,
) -> PyResult<Vec<ScriptFunction>> {
    let compiler = state::compiler();
    let functions = declared_overloads(&compiler, &declarations, implementation)?;
    for function in &functions {
        let compiled = compiler.compile(function);
        compiled.map_err(|e| errors::diagnostic(py, &e))?;
    }
    Ok(functions.iter().map(ScriptFunction::of).collect())
}

/// `torch.jit.script(function)`.
#[pyfunction]
pub fn script_function(py: Python<'_>, info: &Bound<'_, PyAny>) -> PyResult<ScriptFunction> {
    let compiler = state::compiler();
    let function = declared_function(&compiler, info)?;
    compiler
        .compile(&function)
        .map_err(|e| errors::diagnostic(py, &e))?;
    Ok(ScriptFunction::of(&function))
}

/// Whether a class is known to scripts already.
#[pyfunction]
pub fn is_scripted_class(class: &Bound<'_, PyAny>) -> bool {
    state::known_type(class).is_some()
}

/// `torch.jit.script(class)`: the description of the class, as the resolver gets it.
#[pyfunction]
pub fn script_class(py: Python<'_>, description: &Bound<'_, PyTuple>) -> PyResult<String> {
    let kind: String = description.get_item(0)?.extract()?;
    let ty = described_class(&kind, description, &Span::unknown())
        .map_err(|e| errors::diagnostic(py, &e))?;
    compile_methods(&ty).map_err(|e| errors::diagnostic(py, &e))?;
    Ok(ty.to_string())
}
