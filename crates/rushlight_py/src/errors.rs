//! Faults and diagnostics as Python exceptions.

use crate::{registry, warnings};
use pyo3::exceptions::*;
use pyo3::prelude::*;
use rushlight::Diagnostic;
use rushlight::frontend::Problem;
use rushlight::syntax::Span;
use rushlight::syntax::diagnostic::{ErrorKind, highlight};
use rushlight::types::{ErrorClass, Fault};
use std::cell::RefCell;

thread_local! {
    /// What the handler of a signal has raised while a call was running, which it stops.
    static INTERRUPT: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// The fault that stops a running call because of what the handler of a signal has raised.
pub fn interrupt(error: PyErr) -> Fault {
    let fault = Fault::new(ErrorClass::Interrupt, error.to_string());
    INTERRUPT.replace(Some(error));
    fault
}

/// The exception of a stopped call: what the handler raised, with the script's traceback as a note where Python has
/// those.
fn interrupted(text: String) -> PyErr {
    let Some(error) = INTERRUPT.take() else {
        return PyKeyboardInterrupt::new_err(text);
    };
    Python::attach(|py| {
        let _ = error.value(py).call_method1("add_note", (text,));
    });
    error
}

/// A fault of an eager operator, or what a function of the program raised inside of it.
pub fn fault(fault: Fault) -> PyErr {
    if let Some(raised) = warnings::raised(&fault) {
        return raised;
    }
    by_class(fault.class(), fault.message().to_string())
}

fn by_class(class: ErrorClass, message: String) -> PyErr {
    match class {
        ErrorClass::Runtime | ErrorClass::Internal => PyRuntimeError::new_err(message),
        ErrorClass::Index => PyIndexError::new_err(message),
        ErrorClass::Value => PyValueError::new_err(message),
        ErrorClass::Type => PyTypeError::new_err(message),
        ErrorClass::Key => PyKeyError::new_err(message),
        ErrorClass::NotImplemented => PyNotImplementedError::new_err(message),
        ErrorClass::Attribute => PyAttributeError::new_err(message),
        ErrorClass::ZeroDivision => PyZeroDivisionError::new_err(message),
        ErrorClass::Assertion => PyAssertionError::new_err(message),
        ErrorClass::Memory => PyMemoryError::new_err(message),
        ErrorClass::LinearAlgebra => Python::attach(|py| by_name(py, "_LinAlgError", message)),
        ErrorClass::Interrupt => interrupted(message),
    }
}

/// An exception of a class that Python registered.
fn by_name(py: Python<'_>, name: &str, message: String) -> PyErr {
    registry::registered(py, name)
        .and_then(|class| class.call1((message.clone(),)))
        .map_or_else(|_| PyRuntimeError::new_err(message), PyErr::from_value)
}

/// A fault that came out of a script: raised exceptions are `torch.jit.Error`, the rest keep the reference's classes.
pub fn script_fault(py: Python<'_>, error: Fault) -> PyErr {
    if let Some(raised) = warnings::raised(&error) {
        return raised;
    }
    let text = rushlight::runtime::error_text(&error);
    if error.raised_class().is_some() {
        return by_name(py, "Error", text);
    }
    match error.class() {
        class @ (ErrorClass::Interrupt | ErrorClass::Memory) => by_class(class, text),
        ErrorClass::NotImplemented if error.trace().is_some() => {
            PyNotImplementedError::new_err(text)
        }
        _ if error.trace().is_some() => PyRuntimeError::new_err(text),
        class => by_class(class, text),
    }
}

/// A problem found while compiling, in the reference's form.
pub fn diagnostic(py: Python<'_>, problem: &Diagnostic) -> PyErr {
    let text = highlight::render(problem);
    let registered = |name: &str| by_name(py, name, text.clone());
    match problem.kind {
        ErrorKind::NotSupported => registered("NotSupportedError"),
        ErrorKind::UnsupportedNode => registered("UnsupportedNodeError"),
        ErrorKind::Frontend => registered("FrontendError"),
        ErrorKind::Type => PyTypeError::new_err(text),
        ErrorKind::Value => PyValueError::new_err(text),
        ErrorKind::Syntax => PySyntaxError::new_err(text),
        ErrorKind::Name => PyNameError::new_err(text),
        ErrorKind::Attribute => PyAttributeError::new_err(text),
        ErrorKind::Assertion => PyAssertionError::new_err(text),
        ErrorKind::NotImplemented => PyNotImplementedError::new_err(text),
        ErrorKind::Index => PyIndexError::new_err(text),
        ErrorKind::Key => PyKeyError::new_err(text),
        ErrorKind::Import => PyImportError::new_err(text),
        ErrorKind::Recursion => PyRecursionError::new_err(text),
        ErrorKind::Os => PyOSError::new_err(text),
        ErrorKind::Runtime => PyRuntimeError::new_err(text),
    }
}

/// A Python exception raised while describing something.
pub fn from_python_error(py: Python<'_>, error: &PyErr, span: &Span) -> Problem {
    let kind = error
        .get_type(py)
        .name()
        .ok()
        .and_then(|n| ErrorKind::from_class_name(&n.to_string()))
        .unwrap_or(ErrorKind::Runtime);
    let message = error.value(py).to_string();
    Box::new(Diagnostic::new("python-error", kind, message).at(span))
}

/// A Python exception that reaches the caller as it is: sources that cannot be had or read.
pub fn raised_by_python(py: Python<'_>, error: &PyErr) -> Problem {
    let mut problem = from_python_error(py, error, &Span::unknown());
    problem.span = None;
    problem
}

/// A problem of a module, or of what else of Python's a script uses.
pub fn module_problem(message: String, span: &Span) -> Problem {
    Box::new(Diagnostic::error("module", message, span))
}

/// A refusal of what a program asks for, as `RuntimeError`.
pub fn refuse(message: impl Into<String>) -> PyErr {
    PyRuntimeError::new_err(message.into())
}
