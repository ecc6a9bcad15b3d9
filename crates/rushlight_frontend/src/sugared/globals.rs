//! Names that the language itself defines, when the program does not.

use super::{Special, Sugared, builtin::Builtin, exception, forms};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter};
use rushlight_syntax::Span;

/// Python's own functions that are operators.
const OPERATORS: &[(&str, &str)] = &[
    ("abs", "prim::abs"),
    ("all", "aten::all"),
    ("any", "aten::any"),
    ("bin", "aten::bin"),
    ("chr", "aten::chr"),
    ("divmod", "aten::divmod"),
    ("hash", "aten::hash"),
    ("hex", "aten::hex"),
    ("id", "prim::id"),
    ("oct", "aten::oct"),
    ("ord", "aten::ord"),
    ("pow", "aten::pow"),
    ("round", "aten::round"),
    ("sorted", "aten::sorted"),
    ("sum", "aten::sum"),
];

/// Python's own functions that scripts do not have.
const MISSING: &[&str] = &[
    "aiter",
    "anext",
    "ascii",
    "breakpoint",
    "bytearray",
    "callable",
    "compile",
    "delattr",
    "dir",
    "eval",
    "exec",
    "format",
    "globals",
    "input",
    "issubclass",
    "locals",
    "memoryview",
    "next",
    "open",
    "repr",
    "setattr",
    "vars",
    "__import__",
];

/// Constants of Python that are no values of scripts.
const OTHER: &[(&str, &str)] = &[
    ("NotImplemented", "NotImplementedType"),
    ("Ellipsis", "ellipsis"),
];

/// A name of Python that scripts do not have; the error says so when it is used.
struct Missing {
    name: String,
}

impl Special for Missing {
    fn describe(&self) -> String {
        format!("Python builtin <built-in function {}>", self.name)
    }

    fn call(
        &self,
        _emitter: &mut Emitter<'_>,
        _arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        Err(problem(
            "missing-builtin",
            format!(
                "{} is currently not supported in Torchscript",
                self.describe()
            ),
            span,
        ))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// A value of Python that scripts cannot use.
struct Unusable {
    type_name: &'static str,
}

impl Special for Unusable {
    fn describe(&self) -> String {
        format!("python value of type '{}'", self.type_name)
    }

    fn as_value(&self, _emitter: &mut Emitter<'_>, span: &Span) -> Outcome<rushlight_ir::ValueId> {
        let message = match self.type_name {
            "ellipsis" => "Cannot emit expr for: (dots)\n".to_string(),
            other => unusable_message(other),
        };
        Err(problem("not-a-value", message, span))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// The message for a Python value where a script needs a value of its own.
pub fn unusable_message(type_name: &str) -> String {
    format!(
        "python value of type '{type_name}' cannot be used as a value. Perhaps it is a closed over global variable? If so, please consider passing it in as an argument or use a local variable instead."
    )
}

/// What a name stands for in every program.
pub fn language_name(name: &str) -> Option<Sugared> {
    if let Some((_, operator)) = OPERATORS.iter().find(|(n, _)| *n == name) {
        return Some(Sugared::special(Builtin {
            operator: operator.to_string(),
        }));
    }
    if MISSING.contains(&name) {
        return Some(Sugared::special(Missing {
            name: name.to_string(),
        }));
    }
    if let Some((_, type_name)) = OTHER.iter().find(|(n, _)| *n == name) {
        return Some(Sugared::special(Unusable { type_name }));
    }
    forms::python(name)
        .or_else(|| forms::cast(name))
        .or_else(|| exception::builtin(name))
}
