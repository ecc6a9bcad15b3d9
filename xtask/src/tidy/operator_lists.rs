//! What is known of an operator is in its row: nobody else lists operators by name.
//!
//! A list is an array, or the alternatives of a pattern or a condition, with three names of operators or more. Crates of
//! operators may have them, tests may, and so may tables that say nothing of operators but stand in their own right: what a
//! program's text stands for, what a rewrite makes of what, how another format calls things.
//!
//! Names without their namespace count, too: an array of four or more words, four fifths of them names of operators.

use super::Tree;
use super::rust_code::code_with;
use std::collections::BTreeSet;

/// So many names make a list.
const LIST: usize = 3;

/// So many names without their namespace.
const BARE_LIST: usize = 4;

/// Where rows of operators are.
const ROWS: &[&str] = &[
    "crates/rushlight_lang/",
    "crates/rushlight_ops/",
    "crates/rushlight_linalg/",
    "crates/rushlight_nn/",
];

/// Files (folders, where there is a slash at the end) that list operators, and why that is no fact of the operators.
const ALLOWED: &[(&str, &str)] = &[
    (
        "crates/rushlight_archive/src/code/print/expression.rs",
        "how printed code spells operators that have a form of their own",
    ),
    (
        "crates/rushlight_archive/src/mobile/calls.rs",
        "which operator an instruction of the bytecode stands for",
    ),
    (
        "crates/rushlight_archive/src/upgrade/mod.rs",
        "the upgraders, each with the versions of archives that it is for",
    ),
    (
        "crates/rushlight_filetests/src/ops/ambiguous.rs",
        "how results of factorisations are checked, which are right in several ways",
    ),
    (
        "crates/rushlight_frontend/src/sugared/casts.rs",
        "what Python's types stand for where they are called",
    ),
    (
        "crates/rushlight_frontend/src/sugared/composed.rs",
        "operators that are programs of others, as the library of the reference has them",
    ),
    (
        "crates/rushlight_frontend/src/sugared/globals.rs",
        "what Python's own functions stand for",
    ),
    (
        "crates/rushlight_frontend/src/sugared/namespace.rs",
        "what names of the module `torch` stand for",
    ),
    (
        "crates/rushlight_frontend/src/sugared/value.rs",
        "what attributes of tensors stand for",
    ),
    (
        "crates/rushlight_ir/src/freeze/activations.rs",
        "what fused layers call the activations that they do",
    ),
    (
        "crates/rushlight_ir/src/freeze/channels.rs",
        "what is computed of the weights where the operator is folded into them",
    ),
    (
        "crates/rushlight_ir/src/passes/normalize_operators.rs",
        "which names stand for the same operator, as the reference's pass has it",
    ),
    (
        "crates/rushlight_ir/src/passes/peephole/basic.rs",
        "the patterns that the rewrites are for",
    ),
    (
        "crates/rushlight_ir/src/passes/peephole/numbers.rs",
        "the patterns that the rewrites are for",
    ),
    (
        "crates/rushlight_ir/src/passes/peephole/tensors.rs",
        "the patterns that the rewrites are for",
    ),
    (
        "crates/rushlight_ir/src/passes/remove_mutation.rs",
        "what a rewrite asks of a tensor to make another like it",
    ),
    (
        "crates/rushlight_ir/src/passes/shapes.rs",
        "what the reference's pass computes by a rule of its own, which forgets gradients",
    ),
    (
        "crates/rushlight_onnx/src/ops/",
        "what becomes of each operator in ONNX",
    ),
    (
        "crates/rushlight_py/src/methods.rs",
        "what attributes and methods of another name stand for",
    ),
    (
        "crates/rushlight_py/src/trace/recording.rs",
        "the places in the reference's library that traces name",
    ),
    (
        "crates/rushlight_runtime/src/autocast.rs",
        "the reference's own lists, two of each, which differ for one and the same operator",
    ),
    (
        "crates/rushlight_syntax/src/grammar/lexer.rs",
        "the marks and keywords of the grammar, some of which are called as operators are",
    ),
    (
        "crates/rushlight_view/src/diagram/family.rs",
        "words in names that give boxes their colour",
    ),
];

/// Looks for lists in the sources of all crates but those of operators.
pub fn check(tree: &Tree) -> Result<Vec<String>, String> {
    let names = names_in_rows(tree);
    let mut complaints = Vec::new();
    let mut needed = vec![false; ALLOWED.len()];
    for file in tree.rust().filter(|file| is_source(&file.path)) {
        let mut lists = lists(&file.text);
        lists.extend(bare_lists(&file.text, &names));
        lists.sort_unstable();
        lists.dedup();
        let allowed = ALLOWED
            .iter()
            .position(|(place, _)| covers(place, &file.path));
        if let Some(row) = allowed {
            needed[row] |= !lists.is_empty();
            continue;
        }
        complaints.extend(lists.into_iter().map(|line| {
            format!(
                "{}:{line}: lists operators by name; let their rows state the fact, or give the file a row in {}",
                file.path,
                file!()
            )
        }));
    }
    let idle = ALLOWED.iter().zip(needed).filter(|(_, needed)| !needed);
    complaints.extend(idle.map(|((place, _), _)| format!("{place}: lists no operators any more")));
    Ok(complaints)
}

fn is_source(path: &str) -> bool {
    path.starts_with("crates/")
        && path.contains("/src/")
        && !ROWS.iter().any(|folder| path.starts_with(folder))
        && !path.ends_with("tests.rs")
        && !path.contains("/tests/")
}

/// The names of all operators without their namespace, from the schemas of rows and from the names that tables of forms have.
fn names_in_rows(tree: &Tree) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let rows = tree
        .rust()
        .filter(|file| ROWS.iter().any(|folder| file.path.starts_with(folder)));
    for file in rows {
        for (at, _) in file.text.match_indices("\"aten::") {
            names.insert(word(&file.text[at + "\"aten::".len()..]).to_string());
        }
        for (at, _) in file.text.match_indices("\" => ") {
            let before = &file.text[..at];
            let start = before.rfind('"').map_or(at, |quote| quote + 1);
            if word(&before[start..]).len() == at - start {
                names.insert(before[start..].to_string());
            }
        }
    }
    names.remove("");
    names
}

/// The letters, digits and underscores that a text begins with.
fn word(text: &str) -> &str {
    let is_end = |c: char| !(c.is_alphanumeric() || c == '_');
    &text[..text.find(is_end).unwrap_or(text.len())]
}

/// The lines where arrays begin that hold names without their namespace and hardly anything else, tests left out.
fn bare_lists(text: &str, operators: &BTreeSet<String>) -> Vec<usize> {
    let code = code_with(text, |literal| word(literal).len() == literal.len());
    let code = without_tests(&code);
    let mut found = Vec::new();
    // Where each open bracket is, the words since, and how many of them are names.
    let mut open: Vec<(usize, usize, usize)> = Vec::new();
    let mut literal = None;
    for (at, c) in code.char_indices() {
        match (c, literal) {
            ('"', None) => literal = Some(at + 1),
            ('"', Some(start)) => {
                if let Some((_, words, names)) = open.last_mut() {
                    *words += 1;
                    *names += usize::from(operators.contains(&code[start..at]));
                }
                literal = None;
            }
            ('[', None) => open.push((at, 0, 0)),
            (']', None) => {
                let Some((start, words, names)) = open.pop() else {
                    continue;
                };
                if names >= BARE_LIST && 5 * names >= 4 * words {
                    found.push(line_of(code, start));
                }
            }
            _ => {}
        }
    }
    found
}

fn covers(place: &str, path: &str) -> bool {
    match place.ends_with('/') {
        true => path.starts_with(place),
        false => path == place,
    }
}

/// Whether a string is the name of an operator.
fn is_name(text: &str) -> bool {
    let name = text.strip_prefix("aten::").or(text.strip_prefix("prim::"));
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    name.is_some_and(|name| !name.is_empty() && name.chars().all(plain))
}

/// The lines where lists of operators begin, tests left out.
fn lists(text: &str) -> Vec<usize> {
    let code = code_with(text, is_name);
    let code = without_tests(&code);
    let mut found = arrays(code);
    found.extend(alternatives(code));
    found.sort_unstable();
    found.dedup();
    found
}

/// What stands before the module of tests.
fn without_tests(code: &str) -> &str {
    let is_module = |rest: &str| {
        let line = rest.trim_start().lines().next().unwrap_or_default();
        line.starts_with("mod ") && line.ends_with('{')
    };
    let attribute = "#[cfg(test)]";
    let begin = code
        .match_indices(attribute)
        .find(|(at, _)| is_module(&code[at + attribute.len()..]));
    &code[..begin.map_or(code.len(), |(at, _)| at)]
}

fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}

/// Outermost arrays with names in them, however deep.
fn arrays(code: &str) -> Vec<usize> {
    let mut found = Vec::new();
    // Where each open bracket is, and the names since.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut in_name = false;
    for (at, c) in code.char_indices() {
        match c {
            '"' => {
                in_name = !in_name;
                if let Some((_, names)) = open.last_mut().filter(|_| in_name) {
                    *names += 1;
                }
            }
            '[' => open.push((at, 0)),
            ']' => {
                let Some((start, names)) = open.pop() else {
                    continue;
                };
                match open.last_mut() {
                    Some((_, outer)) => *outer += names,
                    None if names >= LIST => found.push(line_of(code, start)),
                    None => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// Names with nothing but `|` between them, or with comparisons joined by `||`.
fn alternatives(code: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut start, mut names) = (0, 0);
    // Every second part is a name.
    let mut at = 0;
    let mut between = "";
    for (i, part) in code.split('"').enumerate() {
        if i % 2 == 1 {
            match joins(between) {
                true => names += 1,
                false => (start, names) = (at, 1),
            }
            if names == LIST {
                found.push(line_of(code, start));
            }
        } else {
            between = part;
        }
        at += part.len() + 1;
    }
    found
}

/// Whether what stands between two names makes them alternatives.
fn joins(between: &str) -> bool {
    let ends = between.contains([';', '{', '}', ',']) || between.contains("=>");
    !ends && between.contains('|')
}

#[cfg(test)]
mod tests {
    use super::{ALLOWED, bare_lists, lists};

    #[test]
    fn arrays_of_operators_are_found() {
        let planted = "\nconst LAYERS: &[&str] = &[\n    \"aten::linear\",\n    \"aten::conv2d\",\n    \"prim::add\",\n];";
        assert_eq!(lists(planted), [2]);
        let pairs =
            "const T: &[(&str, u8)] = &[(\"aten::a\", 1), (\"aten::b\", 2), (\"aten::c\", 3)];";
        assert_eq!(lists(pairs), [1]);
        assert!(lists("const T: [&str; 2] = [\"aten::a\", \"aten::b\"];").is_empty());
        assert!(lists("// [\"aten::a\", \"aten::b\", \"aten::c\"]").is_empty());
    }

    #[test]
    fn arrays_of_bare_names_are_found() {
        let operators = ["add", "mul", "sub", "div"].map(String::from).into();
        let list = "const T: &[&str] = &[\n\"add\", \"mul\", \"sub\", \"div\"];";
        assert_eq!(bare_lists(list, &operators), [1]);
        let few = "const T: &[&str] = &[\"add\", \"mul\", \"sub\"];";
        assert!(bare_lists(few, &operators).is_empty());
        let words = "[\"add\", \"mul\", \"sub\", \"div\", \"one\", \"two\"]";
        assert!(bare_lists(words, &operators).is_empty());
    }

    #[test]
    fn alternatives_of_operators_are_found() {
        let pattern = "matches!(name, \"aten::a\" | \"aten::b\" |\n \"aten::c\")";
        assert_eq!(lists(pattern), [1]);
        let condition = "x == \"aten::a\" || x == \"aten::b\" || x == \"aten::c\"";
        assert_eq!(lists(condition), [1]);
        let arms = "match x { \"aten::a\" => 1, \"aten::b\" | \"aten::c\" => 2, \"aten::d\" => 3 }";
        assert!(lists(arms).is_empty());
    }

    #[test]
    fn tests_may_list_operators() {
        let list = "const T: &[&str] = &[\"aten::a\", \"aten::b\", \"aten::c\"];";
        assert!(lists(&format!("#[cfg(test)]\nmod tests {{\n{list}\n}}")).is_empty());
        assert_eq!(lists(&format!("#[cfg(test)]\nfn f() {{}}\n{list}")), [3]);
    }

    #[test]
    fn every_exception_has_a_reason() {
        assert!(ALLOWED.iter().all(|(_, reason)| !reason.is_empty()));
    }
}
