//! Answers to requests: a file for each kind.

pub mod actions;
pub mod completion;
pub mod hover;
pub mod inlay;
pub mod places;
pub mod problems;
pub mod signature;
pub mod symbols;

use rushlight::Type;

/// A type as an annotation says it.
pub(crate) fn shown_type(ty: &Type) -> String {
    let text = ty.message_form();
    let mut out = String::new();
    let mut rest = text.as_str();
    // Classes of the file go by their own name.
    while let Some((before, after)) = rest.split_once("__torch__.") {
        out.push_str(before);
        let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
        let (name, behind) = after.split_at(end.unwrap_or(after.len()));
        out.push_str(name.rsplit('.').next().unwrap_or(name));
        rest = match behind.strip_prefix(" (of Python compilation unit at: ") {
            Some(unit) => unit.split_once(')').map_or("", |(_, rest)| rest),
            None => behind,
        };
    }
    out + rest
}

/// A fenced block of code.
pub(crate) fn code(text: &str) -> String {
    format!("```python\n{}\n```", text.trim_end())
}
