//! The pages in `docs/errors`: the program that fails is refused with the code that the page is called, the mended one
//! compiles.

use std::path::{Path, PathBuf};

/// Codes that no program has: they are about what stands in archives.
const OF_ARCHIVES: &[&str] = &["archive-code", "archive-name", "bytecode", "local-function"];

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    let entries = std::fs::read_dir(folder).expect("the folder of pages");
    let mut pages: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    pages.retain(|p| p.extension().is_some_and(|e| e == "md") && !p.ends_with("README.md"));
    pages.sort();
    pages
}

/// The code behind a line "```python KIND".
fn block(page: &str, kind: &str) -> String {
    let (_, rest) = page
        .split_once(&format!("```python {kind}\n"))
        .expect("a program");
    rest.split_once("\n```").expect("its end").0.to_string() + "\n"
}

#[test]
fn pages_show_what_fails_and_what_works() {
    let mut wrong = Vec::new();
    for path in pages() {
        let page = std::fs::read_to_string(&path).expect("a readable page");
        let code = path
            .file_stem()
            .and_then(|s| s.to_str())
            .unwrap_or_default();
        if OF_ARCHIVES.contains(&code) {
            continue;
        }
        match rushlight::compile(&block(&page, "fails")) {
            Ok(_) => wrong.push(format!("{code}: the first program compiles")),
            Err(error) if error.0.iter().any(|d| d.code == code) => {}
            Err(error) => wrong.push(format!(
                "{code}: the first program fails otherwise\n{error}"
            )),
        }
        if let Err(error) = rushlight::compile(&block(&page, "works")) {
            wrong.push(format!("{code}: the second program fails\n{error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
