//! Names that the language itself defines, when the program does not.

use super::{Sugared, SugaredValue, builtin::Builtin, exception, forms};
use crate::error::problem;
use crate::script::Emitter;
use crate::{Outcome, Problem};
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
    "callable",
    "compile",
    "delattr",
    "dir",
    "eval",
    "exec",
    "format",
    "globals",
    "input",
    "iter",
    "issubclass",
    "locals",
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

/// The problem of a function of Python's own that scripts do not have.
pub fn missing(name: &str, span: &Span) -> Option<Problem> {
    MISSING
        .contains(&name)
        .then(|| unsupported_builtin(name, span))
}

/// The problem of a built-in function of Python that scripts do not have.
pub fn unsupported_builtin(name: &str, span: &Span) -> Problem {
    problem(
        "missing-builtin",
        format!(
            "Python builtin <built-in function {name}> is currently not supported in Torchscript"
        ),
        span,
    )
}

/// A value of Python that scripts cannot use.
struct Unusable {
    type_name: &'static str,
}

impl SugaredValue for Unusable {
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

/// The names that are there in every program.
pub fn names() -> impl Iterator<Item = &'static str> {
    let operators = OPERATORS.iter().map(|(name, _)| *name);
    operators
        .chain(forms::python_names())
        .chain(exception::names())
}

/// What a name stands for in every program.
pub fn language_name(name: &str) -> Option<Sugared> {
    if let Some((_, operator)) = OPERATORS.iter().find(|(n, _)| *n == name) {
        return Some(Sugared::special(Builtin {
            operator: operator.to_string(),
        }));
    }
    if let Some((_, type_name)) = OTHER.iter().find(|(n, _)| *n == name) {
        return Some(Sugared::special(Unusable { type_name }));
    }
    forms::python(name)
        .or_else(|| forms::cast(name))
        .or_else(|| exception::builtin(name))
}
