//! `unsafe` sits in few files. Each is listed in `xtask/unsafe.txt` with the reason it needs it; a file listed
//! there that has none left is a complaint too.

use std::collections::BTreeSet;

use super::Tree;
use super::rust_code::code_lines;

const TABLE: &str = "xtask/unsafe.txt";

/// Compares the files that use `unsafe` with the table.
pub fn check(tree: &Tree) -> Result<Vec<String>, String> {
    let mut complaints = Vec::new();
    let rows = read_table(tree, &mut complaints);
    let mut used = BTreeSet::new();
    for file in tree.rust() {
        let lines = code_lines(&file.text);
        let Some((number, _)) = lines.iter().find(|(_, line)| uses_unsafe(line)) else {
            continue;
        };
        match rows.iter().find(|row| covers(row, &file.path)) {
            Some(row) => _ = used.insert(*row),
            None => {
                complaints.push(format!(
                    "{}:{number}: `unsafe`, and not in {TABLE}",
                    file.path
                ));
            }
        }
    }
    let idle = rows.iter().filter(|row| !used.contains(*row));
    complaints.extend(idle.map(|row| format!("{row}: in {TABLE} but without `unsafe`")));
    Ok(complaints)
}

fn covers(row: &str, path: &str) -> bool {
    row == path || (row.ends_with('/') && path.starts_with(row))
}

/// The paths of the table: path and reason per line, separated by blanks; `#` opens a comment.
fn read_table<'a>(tree: &'a Tree, complaints: &mut Vec<String>) -> Vec<&'a str> {
    let text = tree
        .texts
        .iter()
        .find(|file| file.path == TABLE)
        .map_or("", |file| &file.text);
    let mut rows = Vec::new();
    for line in text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        match line.split_once(char::is_whitespace) {
            Some((path, _reason)) => rows.push(path),
            None => complaints.push(format!("{TABLE}: `{line}` gives no reason")),
        }
    }
    rows
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
