//! Names of our own standard library, which is Python (`rushlight/nn`): `torch.nn.functional.relu` is compiled from its
//! source when a script first calls it.

use crate::errors::from_python_error;
use crate::resolver;
use pyo3::prelude::*;
use rushlight::frontend::script::{Emitter, Library};
use rushlight::frontend::{Outcome, Sugared};
use rushlight::syntax::Span;

/// Where the library has names. Everything else is an operator or nothing, and Python is not asked.
const PREFIXES: &[&str] = &[
    "torch.nn.",
    "torch.no_grad",
    "torch.jit.strict_fusion",
    "torch.autocast",
    "torch.amp.",
    "torch.cpu.amp.",
    "torch.cuda.",
    "torch.onnx.",
    "torch.autograd.",
    "torch.backends.",
    "torch.profiler.",
    "torch.unique",
    "torch.unique_consecutive",
    "torch.norm",
    "torch.cdist",
    "torch.tensordot",
    "torch.stft",
    "torch.functional.",
    "torch.compiler.",
    "torch.ops.",
];

/// The library as the compiler asks for it.
pub struct PythonLibrary;

impl Library for PythonLibrary {
    fn find(&self, emitter: &mut Emitter<'_>, path: &str, span: &Span) -> Outcome<Option<Sugared>> {
        if !PREFIXES.iter().any(|p| is_under(path, p)) {
            return Ok(None);
        }
        Python::attach(|py| {
            let description = py
                .import("rushlight._resolve")
                .and_then(|m| m.call_method1("describe_library", (path,)))
                .map_err(|e| from_python_error(py, &e, span))?;
            if description.is_none() {
                return Ok(None);
            }
            resolver::sugared(emitter, path, &description, span).map(Some)
        })
    }

    fn is_callable(&self, path: &str) -> bool {
        Python::attach(|py| PythonLibrary::function(py, path).unwrap_or(false))
    }
}

impl PythonLibrary {
    fn function(py: Python<'_>, path: &str) -> PyResult<bool> {
        let Some(("torch", name)) = path.rsplit_once('.') else {
            return Ok(false);
        };
        Ok(py.import("rushlight")?.getattr(name)?.is_callable())
    }
}

/// Whether a path is a name, or begins with a prefix that ends in a dot.
fn is_under(path: &str, prefix: &str) -> bool {
    match prefix.ends_with('.') {
        true => path.starts_with(prefix),
        false => path == prefix,
    }
}
