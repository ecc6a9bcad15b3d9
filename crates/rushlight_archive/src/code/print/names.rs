//! Names of variables in printed code: the program's own where they are free, made unique by numbers behind.

use std::collections::{HashMap, HashSet};

/// Names that printed code uses for something else: keywords, and what the importer looks up by itself.
const RESERVED: &[&str] = &[
    "CONSTANTS",
    "False",
    "None",
    "True",
    "__torch__",
    "and",
    "as",
    "assert",
    "async",
    "aten",
    "attribute",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "fork",
    "from",
    "getattr",
    "global",
    "if",
    "import",
    "in",
    "inf",
    "infj",
    "is",
    "lambda",
    "nan",
    "nanj",
    "nonlocal",
    "not",
    "ops",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "unchecked_cast",
    "uninitialized",
    "while",
    "with",
    "yield",
];

/// Gives out names. The numbers behind names go on from function to function of one file; which names are taken does not.
#[derive(Default)]
pub(super) struct Names {
    taken: HashSet<String>,
    next: HashMap<String, usize>,
}

/// The name of values that the program gave none.
pub(super) const ANONYMOUS: &str = "_";

impl Names {
    /// Frees all names, for the next function.
    pub fn clear(&mut self) {
        self.taken.clear();
    }

    /// A fresh name like `wanted`. What follows a taken name is counted for each name tried on the way.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let stem = wanted.to_string();
        let mut name = stem.clone();
        while name == ANONYMOUS || self.taken.contains(&name) || RESERVED.contains(&name.as_str()) {
            let count = self.next.entry(name).or_default();
            name = format!("{stem}{count}");
            *count += 1;
        }
        self.taken.insert(name.clone());
        name
    }
}

/// Whether a text can stand as a name in code.
pub(super) fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A name of a program as a name in code.
pub(crate) fn sanitized(name: &str) -> String {
    let mut text: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        })
        .collect();
    if !is_identifier(&text) {
        text.insert(0, '_');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_for_each_name_tried() {
        let mut names = Names::default();
        assert_eq!(names.fresh("_0"), "_0");
        assert_eq!(names.fresh("_1"), "_1");
        let given: Vec<_> = (0..7).map(|_| names.fresh("_")).collect();
        assert_eq!(given, ["_2", "_3", "_4", "_5", "_6", "_7", "_8"]);
        names.clear();
        assert_eq!(names.fresh("_"), "_7");
    }

    #[test]
    fn a_name_that_a_program_numbered_is_not_given_twice() {
        let mut names = Names::default();
        let given: Vec<_> = ["y0", "y", "y", "y"]
            .iter()
            .map(|n| names.fresh(n))
            .collect();
        assert_eq!(given, ["y0", "y", "y1", "y2"]);
    }

    #[test]
    fn reserved_names_get_a_number() {
        assert_eq!(Names::default().fresh("fork"), "fork0");
        assert_eq!(Names::default().fresh("print"), "print");
    }
}
