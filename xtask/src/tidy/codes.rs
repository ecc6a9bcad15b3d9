//! Every code of a diagnostic has a page in `docs/errors`, and every page a code.
//!
//! Codes are the first argument of what makes diagnostics, as a literal or as the name of a constant.

use super::Tree;
use std::collections::{BTreeMap, BTreeSet};

const FOLDER: &str = "docs/errors/";

/// What takes a code as its first argument.
const CALLS: &[&str] = &[
    "problem(",
    "without_place(",
    "Diagnostic::new(",
    "Diagnostic::error(",
    "Diagnostic::syntax(",
];

/// Codes that nobody looks up, and why.
const ASIDE: &[(&str, &str)] = &[
    ("enum", "members of an enum always make a list"),
    ("follows", "never shown: another problem is the reason"),
    ("internal", "our fault, not the program's"),
    ("loop", PYTHON),
    ("module", PYTHON),
    ("mutable-default", PYTHON),
    ("named-tuple-default", PYTHON),
    ("no-function", PYTHON),
    ("no-operator", "the operator is in the table"),
    ("overload", PYTHON),
    ("python-call", PYTHON),
    ("python-class", PYTHON),
    ("python-error", PYTHON),
    ("python-value", PYTHON),
    ("serialization", PYTHON),
    ("slice", "the parser takes slices in indices only"),
];
const PYTHON: &str = "exceptions in Python show no codes";

/// Compares the codes in the source with the pages and their list.
pub fn check(tree: &Tree) -> Result<Vec<String>, String> {
    let constants = constants(tree);
    let mut codes: BTreeMap<&str, &str> = BTreeMap::new();
    for file in tree.rust().filter(|file| is_source(&file.path)) {
        for code in codes_in(&file.text, &constants) {
            codes.entry(code).or_insert(&file.path);
        }
    }
    let pages: BTreeSet<&str> = tree
        .paths
        .iter()
        .filter_map(|path| path.strip_prefix(FOLDER)?.strip_suffix(".md"))
        .filter(|name| *name != "README")
        .collect();
    let mut complaints = Vec::new();
    for (code, path) in &codes {
        let is_aside = ASIDE.iter().any(|(aside, _)| aside == code);
        match (pages.contains(code), is_aside) {
            (true, false) | (false, true) => {}
            (false, false) => complaints.push(format!(
                "{path}: `{code}` has no page {FOLDER}{code}.md (or a reason in {})",
                file!()
            )),
            (true, true) => complaints.push(format!("{FOLDER}{code}.md: the code is set aside")),
        }
    }
    let unknown = pages.iter().filter(|page| !codes.contains_key(**page));
    complaints
        .extend(unknown.map(|page| format!("{FOLDER}{page}.md: no diagnostic has this code")));
    let stale = ASIDE.iter().filter(|(code, _)| !codes.contains_key(code));
    complaints.extend(stale.map(|(code, _)| format!("`{code}` is set aside, but nothing has it")));
    let list = format!("{FOLDER}README.md");
    let list = tree.texts.iter().find(|file| file.path == list);
    let listed: Vec<&str> = list.map_or(Vec::new(), |file| listed(&file.text));
    if !listed.iter().eq(pages.iter()) {
        complaints.push(format!(
            "{FOLDER}README.md: its list should have each page once, sorted"
        ));
    }
    Ok(complaints)
}

fn is_source(path: &str) -> bool {
    path.starts_with("crates/") && path.contains("/src/")
}

/// Constants that hold something like a code, by name.
fn constants(tree: &Tree) -> BTreeMap<&str, &str> {
    let mut found = BTreeMap::new();
    for file in tree.rust().filter(|file| is_source(&file.path)) {
        for line in file.text.lines() {
            if let Some((head, value)) = line.split_once(": &str = \"")
                && let Some(name) = head
                    .trim()
                    .trim_start_matches("pub ")
                    .strip_prefix("const ")
                && let Some(value) = value.strip_suffix("\";")
                && is_code(value)
            {
                found.insert(name, value);
            }
        }
    }
    found
}

fn is_code(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
}

/// The codes that a text names, tests aside.
fn codes_in<'t>(text: &'t str, constants: &BTreeMap<&str, &'t str>) -> Vec<&'t str> {
    let text = text.split("#[cfg(test)]").next().unwrap_or(text);
    let mut found = Vec::new();
    for call in CALLS {
        for (at, _) in text.match_indices(call) {
            let first = text[at + call.len()..].trim_start();
            let Some((first, _)) = first.split_once(',') else {
                continue;
            };
            let literal = first
                .strip_prefix('"')
                .and_then(|rest| rest.strip_suffix('"'));
            match literal {
                Some(code) if is_code(code) => found.push(code),
                _ => found.extend(constants.get(first)),
            }
        }
    }
    found
}

/// The pages of the list, in its order.
fn listed(text: &str) -> Vec<&str> {
    let name = |line: &'_ str| {
        let at = line.find("](")?;
        line.starts_with("- [").then_some(at)
    };
    text.lines()
        .filter_map(|line| Some(&line[3..name(line)?]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{BTreeMap, codes_in, listed};

    #[test]
    fn codes_are_first_arguments() {
        let text = "problem(\"a-b\", m, s); Diagnostic::error(\n    NAME,\n m); problem(message, s); problem(\"No\", s)\n#[cfg(test)] problem(\"c\", s)";
        let constants = BTreeMap::from([("NAME", "named")]);
        assert_eq!(codes_in(text, &constants), ["a-b", "named"]);
    }

    #[test]
    fn the_list_is_read_in_its_order() {
        let text = "# Errors\n\n- [b](b.md)\n- [a](a.md)\ntext [c](c.md)\n";
        assert_eq!(listed(text), ["b", "a"]);
    }
}
