//! Side effects live at the edge: the core crates name no file, socket, process, environment or clock.
//!
//! The web's target finds the same by what its standard library lacks, but only where that library is
//! installed and only when the code runs; this check reads the source.

use super::Tree;
use super::rust_code::code_lines;

/// Paths of the standard library that reach out of the process.
const EFFECTS: &[&str] = &[
    "std::fs",
    "std::net",
    "std::process",
    "std::env::",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "println!",
    "print!",
    "eprintln!",
    "eprint!",
];

/// The crates that are handed bytes and hand back values.
const CORE: &[&str] = &[
    "rushlight_syntax",
    "rushlight_tensor",
    "rushlight_types",
    "rushlight_ir",
    "rushlight_kernels",
    "rushlight_quantized",
    "rushlight_lang",
    "rushlight_ops",
    "rushlight_linalg",
    "rushlight_nn",
    "rushlight_frontend",
    "rushlight_runtime",
];

/// Where an effect is right, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// Looks for effects in the sources of the core crates; their tests may do as they like.
pub fn check(tree: &Tree) -> Result<Vec<String>, String> {
    let mut complaints = Vec::new();
    let core = tree.rust().filter(|file| {
        CORE.iter()
            .any(|name| file.path.starts_with(&format!("crates/{name}/src/")))
            && !file.path.ends_with("/tests.rs")
            && !file.path.contains("/tests/")
    });
    for file in core {
        for (number, line) in code_lines(&file.text)
            .into_iter()
            .take_while(|(_, line)| !line.contains("#[cfg(test)]"))
        {
            let effect = EFFECTS.iter().find(|effect| names(&line, effect));
            let excepted = |effect: &str| {
                EXCEPTIONS
                    .iter()
                    .any(|(path, what, _)| *path == file.path && *what == effect)
            };
            if let Some(effect) = effect.filter(|effect| !excepted(effect)) {
                complaints.push(format!(
                    "{}:{number}: `{effect}` in a core crate",
                    file.path
                ));
            }
        }
    }
    Ok(complaints)
}

/// Whether `line` names `effect` and not merely something that ends like it (`eprintln!` ends in `println!`).
fn names(line: &str, effect: &str) -> bool {
    line.match_indices(effect).any(|(at, _)| {
        !line[..at]
            .ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == ':')
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn effects_are_found_by_whole_name() {
        assert!(names("    println!(\"x\");", "println!"));
        assert!(!names("    eprintln!(\"x\");", "println!"));
        assert!(names("use std::fs;", "std::fs"));
    }
}
