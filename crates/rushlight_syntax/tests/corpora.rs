//! Every schema and every program of the shared corpora, where they are at hand.

use std::path::{Path, PathBuf};

use rushlight_syntax::{Source, parse_module, schema};

/// The folder beside the checkout that holds the corpora.
fn shared(path: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .map(|folder| folder.join("shared").join(path))
        .find(|candidate| candidate.exists())
}

#[test]
fn every_schema_prints_back_identically() {
    let Some(folder) = shared("conformance/ops") else {
        return;
    };
    let mut failures = Vec::new();
    for file in ["schemas.txt", "schemas_other.txt"] {
        for line in std::fs::read_to_string(folder.join(file)).unwrap().lines() {
            match schema::parse_schema(line) {
                Ok(schema) if schema.to_string() == line => {}
                Ok(schema) => failures.push(format!("{line}\n{schema}")),
                Err(error) => failures.push(error.to_string()),
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn every_program_parses_up_to_its_type_comments() {
    let Some(folder) = shared("conformance/programs") else {
        return;
    };
    for area in std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().is_dir())
    {
        for file in std::fs::read_dir(area.path()).unwrap().flatten() {
            let path = file.path();
            if path.extension().is_some_and(|extension| extension == "py") {
                let text = std::fs::read_to_string(&path).unwrap();
                let (module, diagnostics) = parse_module(&Source::new("program.py", text));
                let syntax_errors: Vec<_> = diagnostics
                    .iter()
                    .filter(|found| found.code != "type-comment")
                    .collect();
                assert!(
                    syntax_errors.is_empty(),
                    "{}: {syntax_errors:?}",
                    path.display()
                );
                assert!(!module.body.is_empty());
            }
        }
    }
}
