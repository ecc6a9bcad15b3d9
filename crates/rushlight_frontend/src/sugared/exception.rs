//! Exception classes: what `raise` may name.

use super::{Sugared, SugaredValue};
use crate::Outcome;
use crate::script::{Arguments, Emitter};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;

/// An exception class; `qualified` is the name that reaches the caller (`builtins.ValueError`).
pub struct ExceptionClass {
    pub name: String,
    pub qualified: String,
}

impl SugaredValue for ExceptionClass {
    fn describe(&self) -> String {
        "Python exception".to_string()
    }

    /// The exception with its message.
    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let mut values = Vec::new();
        for (value, at) in &arguments.positional {
            values.push(value.as_value(emitter, at)?);
        }
        let message = match values.as_slice() {
            [] => emitter.constant("", span),
            [one] => *one,
            many => emitter.tuple(many, span),
        };
        // An AssertionError keeps its name in its text, as assert statements do.
        if self.qualified == "builtins.AssertionError" {
            let message = match emitter.ty(message) {
                rushlight_types::Type::Str => message,
                _ => emitter.builtin("aten::str", &[message], span)?,
            };
            let prefix = emitter.constant("AssertionError: ", span);
            let message = emitter.builtin("aten::add", &[prefix, message], span)?;
            return Ok(Sugared::special(ExceptionInstance {
                message,
                qualified: None,
            }));
        }
        Ok(Sugared::special(ExceptionInstance {
            message,
            qualified: Some(self.qualified.clone()),
        }))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// An exception about to be raised.
pub struct ExceptionInstance {
    /// The message, of any type.
    pub message: ValueId,
    /// The name of its class, where that reaches the caller.
    pub qualified: Option<String>,
}

impl SugaredValue for ExceptionInstance {
    fn describe(&self) -> String {
        "exception message".to_string()
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// The exceptions that Python defines.
const BUILTINS: &[&str] = &[
    "BaseException",
    "Exception",
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BufferError",
    "EOFError",
    "FileNotFoundError",
    "FloatingPointError",
    "IOError",
    "ImportError",
    "IndentationError",
    "IndexError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PermissionError",
    "RecursionError",
    "ReferenceError",
    "RuntimeError",
    "StopIteration",
    "SyntaxError",
    "SystemError",
    "SystemExit",
    "TimeoutError",
    "TypeError",
    "UnboundLocalError",
    "UnicodeError",
    "ValueError",
    "Warning",
    "ZeroDivisionError",
];

/// The exception classes of Python.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().copied()
}

/// The exception class that Python defines under a name.
pub fn builtin(name: &str) -> Option<Sugared> {
    let name = BUILTINS.iter().find(|n| **n == name)?;
    Some(Sugared::special(ExceptionClass {
        name: name.to_string(),
        qualified: format!("builtins.{name}"),
    }))
}
