//! Every Rust file says in its first line what lives in it, holds no unfinished work, and stays readable.

use super::Tree;
use super::rust_code::code_lines;

/// A longer file wants to be split by kind of work.
const LONGEST: usize = 1200;

/// Macros that mark unfinished work.
const UNFINISHED: &[&str] = &["todo!(", "unimplemented!(", "dbg!("];

/// Checks each Rust file by itself.
pub fn check(tree: &Tree) -> Result<Vec<String>, String> {
    let mut complaints = Vec::new();
    for file in tree.rust() {
        if !file.text.starts_with("//!") {
            complaints.push(format!("{}: does not open with a `//!` comment", file.path));
        }
        let length = file.text.lines().count();
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
    Ok(complaints)
}
