//! The running Python program, as traces see it: the variables that hold tensors, and the place of a call.

use super::recording;
use crate::identity::PyTensor;
use pyo3::prelude::*;
use rushlight::Tensor;
use rushlight::frontend::trace::Host;
use rushlight::syntax::{Source, Span};

/// The running Python program.
pub struct Program {
    /// How many frames above the one that calls operators the variables are that tensors are named after.
    pub frames_up: usize,
}

impl Program {
    fn frame(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        py.import("sys")?.getattr("_getframe")?.call1((0,))
    }

    /// The frame that calls operators, beyond functions that stand for built-in ones.
    fn caller(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let mut frame = Program::frame(py)?;
        loop {
            let file: String = frame.getattr("f_code")?.getattr("co_filename")?.extract()?;
            let outer = frame.getattr("f_back")?;
            if !stands_for_builtins(&file) || outer.is_none() {
                return Ok(frame);
            }
            frame = outer;
        }
    }

    fn find(&self, py: Python<'_>, tensor: &Tensor) -> PyResult<Option<String>> {
        let mut frame = Program::caller(py)?;
        if recording::origin().is_some() {
            // The variables of the reference's own code are those of ours that is Python, too.
            let code = frame.getattr("f_code")?;
            let file: String = code.getattr("co_filename")?.extract()?;
            if !is_functional(&file) {
                return Ok(None);
            }
        }
        for _ in 0..self.frames_up {
            let outer = frame.getattr("f_back")?;
            if outer.is_none() {
                break;
            }
            frame = outer;
        }
        let locals = frame.getattr("f_locals")?;
        for item in locals.call_method0("items")?.try_iter()? {
            let (name, value): (String, Bound<'_, PyAny>) = item?.extract()?;
            if let Ok(held) = value.cast::<PyTensor>()
                && held.get().0.is(tensor)
            {
                return Ok((name != "self").then_some(name));
            }
        }
        Ok(None)
    }

    /// The calls around the program's place, innermost first: file, line, function.
    fn stack(py: Python<'_>) -> PyResult<Vec<(String, u32, String)>> {
        let mut out = Vec::new();
        let mut frame = Program::caller(py)?;
        while !frame.is_none() {
            let code = frame.getattr("f_code")?;
            let file: String = code.getattr("co_filename")?.extract()?;
            let line: Option<u32> = frame.getattr("f_lineno")?.extract()?;
            let function: String = code.getattr("co_name")?.extract()?;
            if !starts_programs(&file) {
                out.push((shown_file(&file), line.unwrap_or(0), function));
            }
            frame = frame.getattr("f_back")?;
        }
        Ok(out)
    }
}

/// Whether a file is what `python -m rushlight` runs before the program.
fn starts_programs(file: &str) -> bool {
    file == "<frozen runpy>" || file.ends_with("/rushlight/__main__.py")
}

/// Whether a file is part of what runs programs, not of a program.
pub fn is_own_file(py: Python<'_>, file: &str) -> bool {
    let home = || -> PyResult<String> { py.import("rushlight")?.getattr("__file__")?.extract() };
    let home = home().unwrap_or_default();
    let folder = home.strip_suffix("__init__.py").filter(|f| !f.is_empty());
    file.starts_with("<frozen ") || folder.is_some_and(|f| file.starts_with(f))
}

/// Files of our own beside built-in functions whose functions are Python in the reference, too, in `torch/functional.py`.
const FUNCTIONAL: [&str; 2] = ["_functional.py", "_unique.py"];

/// Whether a file of our own is one of [`FUNCTIONAL`].
fn is_functional(file: &str) -> bool {
    let inside = file.rsplit_once("/rushlight/").map(|(_, inside)| inside);
    inside.is_some_and(|inside| FUNCTIONAL.contains(&inside))
}

/// Whether a file of our own has functions that are built into the reference.
fn stands_for_builtins(file: &str) -> bool {
    let Some((_, inside)) = file.rsplit_once("/rushlight/") else {
        return false;
    };
    inside.starts_with('_') && !inside.contains('/') && !is_functional(file)
        || inside == "autograd/function.py"
}

/// The name of a file as positions show it: our own stand for the reference's.
fn shown_file(file: &str) -> String {
    match file.rsplit_once("/rushlight/") {
        Some((_, inside)) if FUNCTIONAL.contains(&inside) => "torch/functional.py".to_string(),
        Some((_, inside)) => format!("torch/{inside}"),
        None => file.to_string(),
    }
}

impl Host for Program {
    fn warn(&self, text: &str) {
        Python::attach(|py| {
            let warned = crate::registry::registered(py, "tracer_warning_text")
                .and_then(|warn| warn.call1((text,)));
            // A program that makes errors of warnings gets this one where nobody can catch it.
            if let Err(error) = warned {
                error.write_unraisable(py, None);
            }
        });
    }

    fn variable(&self, tensor: &Tensor) -> Option<String> {
        Python::attach(|py| self.find(py, tensor).ok().flatten())
    }

    fn position(&self) -> Option<Span> {
        let stack = Python::attach(|py| Program::stack(py).ok())?;
        let innermost = stack.first()?;
        let (file, line) = match recording::origin() {
            Some((file, line)) => (file, line),
            None => (innermost.0.as_str(), innermost.1),
        };
        let lines: Vec<String> = stack
            .iter()
            .map(|(file, line, function)| format!("{file}({line}): {function}"))
            .collect();
        let text = lines.join("\n");
        let end = text.len() as u32;
        Some(Source::with_first_line(file, text, line).span(0..end))
    }
}
