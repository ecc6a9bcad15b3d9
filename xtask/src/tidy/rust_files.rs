//! Every Rust file says in its first line what lives in it, holds no unfinished work, and stays readable; no crate is so
//! large that every edit waits for it.

use std::collections::BTreeMap;

use super::Tree;
use super::rust_code::code_lines;

/// A longer file wants to be split by kind of work.
const LONGEST: usize = 1200;

/// A larger crate wants to be split by dependence: whatever is edited in it, all of it is compiled.
const LARGEST: usize = 30_000;

/// Macros that mark unfinished work.
const UNFINISHED: &[&str] = &["todo!(", "unimplemented!(", "dbg!("];

/// Checks each Rust file by itself.
pub fn check(tree: &Tree) -> Result<Vec<String>, String> {
    let mut complaints = Vec::new();
    let mut crates: BTreeMap<&str, usize> = BTreeMap::new();
    for file in tree.rust() {
        if !file.text.starts_with("//!") {
            complaints.push(format!("{}: does not open with a `//!` comment", file.path));
        }
        let length = file.text.lines().count();
        *crates.entry(crate_of(&file.path)).or_default() += length;
        if length > LONGEST {
            complaints.push(format!(
                "{}: {length} lines, more than {LONGEST}",
                file.path
            ));
        }
        for (number, line) in code_lines(&file.text) {
            for found in UNFINISHED.iter().filter(|call| line.contains(**call)) {
                complaints.push(format!("{}:{number}: `{found}...)`", file.path));
            }
        }
    }
    let large = crates.iter().filter(|(_, lines)| **lines > LARGEST);
    complaints
        .extend(large.map(|(name, lines)| format!("{name}: {lines} lines, more than {LARGEST}")));
    Ok(complaints)
}

/// The folder of the crate that a file belongs to: all before `src`, `tests` and the like.
fn crate_of(path: &str) -> &str {
    let end = ["/src/", "/tests/", "/examples/", "/benches/"]
        .iter()
        .filter_map(|folder| path.find(folder))
        .min();
    &path[..end.unwrap_or(path.rfind('/').unwrap_or(0))]
}

#[cfg(test)]
mod tests {
    use super::crate_of;

    #[test]
    fn files_belong_to_crates() {
        assert_eq!(
            crate_of("crates/rushlight_nn/src/nn/conv/mod.rs"),
            "crates/rushlight_nn"
        );
        assert_eq!(
            crate_of("crates/rushlight/tests/support/mod.rs"),
            "crates/rushlight"
        );
        assert_eq!(crate_of("xtask/src/main.rs"), "xtask");
    }
}
