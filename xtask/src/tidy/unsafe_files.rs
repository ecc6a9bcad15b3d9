//! `unsafe` sits in few files. Each is listed in `xtask/unsafe.txt` with the reason it needs it; a file listed
//! there that has none left is a complaint too.

use std::collections::BTreeMap;

use super::Tree;
use super::rust_code::code_lines;

const TABLE: &str = "xtask/unsafe.txt";

/// Compares the files that use `unsafe` with the table.
pub fn check(tree: &Tree) -> Result<Vec<String>, String> {
    let mut complaints = Vec::new();
    let mut table = read_table(tree, &mut complaints);
    for file in tree.rust() {
        let first = code_lines(&file.text)
            .into_iter()
            .find(|(_, line)| uses_unsafe(line));
        match (first, table.remove(file.path.as_str())) {
            (Some((number, _)), None) => {
                complaints.push(format!(
                    "{}:{number}: `unsafe` in a file that is not in {TABLE}",
                    file.path
                ));
            }
            (None, Some(_)) => {
                complaints.push(format!("{}: in {TABLE} but without `unsafe`", file.path))
            }
            _ => {}
        }
    }
    complaints.extend(
        table
            .into_keys()
            .map(|path| format!("{path}: in {TABLE} but not in the tree")),
    );
    Ok(complaints)
}

/// Path and reason per line, separated by blanks; `#` opens a comment.
fn read_table<'a>(tree: &'a Tree, complaints: &mut Vec<String>) -> BTreeMap<&'a str, &'a str> {
    let text = tree
        .texts
        .iter()
        .find(|file| file.path == TABLE)
        .map_or("", |file| &file.text);
    let mut table = BTreeMap::new();
    for line in text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        match line.split_once(char::is_whitespace) {
            Some((path, reason)) => _ = table.insert(path, reason.trim()),
            None => complaints.push(format!("{TABLE}: `{line}` gives no reason")),
        }
    }
    table
}

fn uses_unsafe(line: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices("unsafe").any(|(at, word)| {
        let before = line[..at].ends_with(|c: char| is_name(c));
        let after = line[at + word.len()..].starts_with(|c: char| is_name(c));
        // `#[unsafe(no_mangle)]` and the like count as well.
        !before && !after
    })
}

#[cfg(test)]
mod tests {
    use super::uses_unsafe;

    #[test]
    fn the_keyword_counts_and_names_that_hold_it_do_not() {
        assert!(uses_unsafe("    unsafe { x }"));
        assert!(uses_unsafe("pub unsafe fn f()"));
        assert!(!uses_unsafe("#![deny(unsafe_op_in_unsafe_fn)]"));
        assert!(!uses_unsafe("fn uses_unsafe()"));
    }
}
