//! Names that the language itself defines, when the program does not.

use super::{Sugared, builtin::Builtin, exception, forms};

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

/// What a name stands for in every program.
pub fn language_name(name: &str) -> Option<Sugared> {
    if let Some((_, operator)) = OPERATORS.iter().find(|(n, _)| *n == name) {
        return Some(Sugared::special(Builtin {
            operator: operator.to_string(),
        }));
    }
    forms::python(name)
        .or_else(|| forms::cast(name))
        .or_else(|| exception::builtin(name))
}
