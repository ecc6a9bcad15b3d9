//! Every package in the lock file has a licence that `deny.toml` allows, and every crate of ours that is published has the
//! texts of its own beside it: what is packaged holds nothing from above its folder.
//!
//! `cargo deny` checks more, but is not on every machine; the licences are checked everywhere.

use serde_json::Value;
use std::path::Path;

use super::Tree;
use crate::workspace::cargo;

const TABLE: &str = "deny.toml";
const TEXTS: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT"];

/// Compares the licences of all packages with the list in `deny.toml`.
pub fn check(tree: &Tree) -> Result<Vec<String>, String> {
    let text = tree
        .texts
        .iter()
        .find(|file| file.path == TABLE)
        .ok_or(format!("no {TABLE}"))?;
    let allowed = allowed(&text.text);
    let mut complaints = Vec::new();
    for package in metadata()?["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        match package["license"].as_str() {
            Some(expression) if satisfied(expression, &allowed) => {}
            Some(expression) => {
                complaints.push(format!("{name}: `{expression}` is not in {TABLE}"))
            }
            None => complaints.push(format!("{name}: states no licence")),
        }
        let is_ours = package["source"].is_null();
        let is_published = package["publish"]
            .as_array()
            .is_none_or(|to| !to.is_empty());
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        if is_ours && is_published {
            let lacking = TEXTS
                .iter()
                .filter(|text| !manifest.with_file_name(text).exists());
            complaints.extend(lacking.map(|text| format!("{name}: is published without {text}")));
        }
    }
    Ok(complaints)
}

fn metadata() -> Result<Value, String> {
    // A checkout whose packages are already there needs no network; a fresh one may fetch them.
    let output = cargo()
        .args(["metadata", "--format-version", "1", "--locked"])
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

/// The strings between `allow = [` and `]`.
fn allowed(text: &str) -> Vec<&str> {
    let list = text
        .split("\nallow = [")
        .nth(1)
        .and_then(|rest| rest.split(']').next())
        .unwrap_or("");
    list.split('"').skip(1).step_by(2).collect()
}

/// Whether an SPDX expression can be satisfied by the allowed licences: of `OR` (older: `/`) one side, of
/// `AND` both.
fn satisfied(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut words = spaced.split_whitespace().collect::<Vec<_>>();
    words.reverse();
    any_of(&mut words, allowed) && words.is_empty()
}

fn any_of(words: &mut Vec<&str>, allowed: &[&str]) -> bool {
    let mut good = all_of(words, allowed);
    while words.pop_if(|word| *word == "OR").is_some() {
        good |= all_of(words, allowed);
    }
    good
}

fn all_of(words: &mut Vec<&str>, allowed: &[&str]) -> bool {
    let mut good = one(words, allowed);
    while words.pop_if(|word| *word == "AND").is_some() {
        good &= one(words, allowed);
    }
    good
}

fn one(words: &mut Vec<&str>, allowed: &[&str]) -> bool {
    match words.pop() {
        Some("(") => {
            let good = any_of(words, allowed);
            words.pop() == Some(")") && good
        }
        Some(name) => match words.pop_if(|word| *word == "WITH") {
            Some(_) => {
                let exception = words.pop().unwrap_or_default();
                allowed.contains(&format!("{name} WITH {exception}").as_str())
            }
            None => allowed.contains(&name),
        },
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{allowed, satisfied};

    #[test]
    fn the_list_is_read() {
        assert_eq!(
            allowed("x\nallow = [\n \"A\", # why\n \"B\",\n]\n"),
            ["A", "B"]
        );
    }

    #[test]
    fn expressions_are_evaluated() {
        let list = [
            "MIT",
            "Apache-2.0",
            "Apache-2.0 WITH LLVM-exception",
            "Unicode-3.0",
        ];
        for good in [
            "MIT",
            "GPL-3.0 OR MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "MIT/Apache-2.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
        ] {
            assert!(satisfied(good, &list), "{good}");
        }
        for bad in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "Apache-2.0 WITH Other",
            "(MIT",
        ] {
            assert!(!satisfied(bad, &list), "{bad}");
        }
    }
}
