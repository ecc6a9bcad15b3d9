//! Kernels ask for memory at the allocation door: vectors whose length comes from data must be able to fail.
//!
//! `rushlight_tensor::memory` has a function for each of the forms that are refused here.

use super::Tree;
use super::rust_code::code_lines;

/// What ends the process when memory is out, and what to write instead.
const FORMS: &[(&str, &str)] = &[
    ("Vec::with_capacity(", "memory::with_capacity"),
    ("String::with_capacity(", "memory::text_with_capacity"),
    (".collect::<Vec<", "Collected::collected"),
];

/// Where operators and their kernels are.
const FOLDERS: &[&str] = &[
    "crates/rushlight_kernels/src/",
    "crates/rushlight_quantized/src/",
    "crates/rushlight_lang/src/",
    "crates/rushlight_ops/src/",
    "crates/rushlight_linalg/src/",
    "crates/rushlight_nn/src/",
];

/// Looks for vectors that are made without asking in the sources of the operators; their tests may do as they like.
pub fn check(tree: &Tree) -> Result<Vec<String>, String> {
    let mut complaints = Vec::new();
    let kernels = tree.rust().filter(|file| {
        FOLDERS.iter().any(|folder| file.path.starts_with(folder))
            && !file.path.ends_with("/tests.rs")
    });
    for file in kernels {
        for (number, line) in code_lines(&file.text)
            .into_iter()
            .take_while(|(_, line)| !line.contains("#[cfg(test)]"))
        {
            if let Some(instead) = refused(&line) {
                complaints.push(format!(
                    "{}:{number}: a vector that cannot fail; use `{instead}`",
                    file.path
                ));
            }
        }
    }
    Ok(complaints)
}

/// What a line should say instead, if it makes a vector of any length.
fn refused(line: &str) -> Option<&'static str> {
    let form = FORMS.iter().find(|(form, _)| {
        line.match_indices(form)
            .any(|(at, _)| !line[..at].ends_with("Small") && !line[at..].contains("Result<"))
    });
    form.map(|(_, instead)| *instead)
        .or_else(|| repeats(line).then_some("memory::filled"))
}

/// Whether a line says `vec![value; length]`.
fn repeats(line: &str) -> bool {
    line.match_indices("vec![").any(|(at, _)| {
        let own = !line[..at].ends_with(|c: char| c.is_alphanumeric());
        let inside = line[at..].split(']').next().unwrap_or_default();
        own && inside.contains(';')
    })
}

#[cfg(test)]
mod tests {
    use super::refused;

    #[test]
    fn vectors_of_any_length_are_refused() {
        assert!(refused("let x = vec![0.0; n];").is_some());
        assert!(refused("let x: Vec<i64> = Vec::with_capacity(n);").is_some());
        assert!(refused("a.iter().collect::<Vec<_>>()").is_some());
        assert!(refused("let d: Dims = smallvec::smallvec![0; rank];").is_none());
        assert!(refused("let x = vec![1, 2];").is_none());
        assert!(refused("SmallVec::with_capacity(3)").is_none());
        assert!(refused("a.collect::<Result<Vec<_>>>()").is_none());
    }
}
