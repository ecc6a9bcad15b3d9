//! Answers to requests: a file for each kind.

pub mod actions;
pub mod completion;
pub mod hover;
pub mod inlay;
pub mod places;
pub mod problems;
pub mod signature;
pub mod symbols;

/// A fenced block of code.
pub(crate) fn code(text: &str) -> String {
    format!("```python\n{}\n```", text.trim_end())
}
