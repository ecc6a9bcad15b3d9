//! Programs in C and C++ are built with the machine's compiler against the shared library and run; and the header declares
//! what the library has.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where cargo has put the shared library: beside this test or one folder up.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let name = format!(
        "{}rushlight_c{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    );
    let folders = test.ancestors().skip(1).take(2);
    folders
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("{name} is not beside the tests"))
}

/// Builds and runs a program; what it prints, or `None` where there is no such compiler.
fn run(compiler: &str, standard: &str, source: &str) -> Option<String> {
    if Command::new(compiler).arg("--version").output().is_err() {
        eprintln!("skipped: there is no {compiler} on this machine");
        return None;
    }
    let library = library();
    let folder = library.parent().expect("a file has a folder");
    let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join(source.replace('.', "_"));
    let built = Command::new(compiler)
        .args([standard, "-Wall", "-Wextra", "-Werror", "-pthread", "-I"])
        .arg(here().join("include"))
        .arg(here().join("tests/c").join(source))
        .arg(&library)
        .arg(format!("-Wl,-rpath,{}", folder.display()))
        .args(["-lm", "-o"])
        .arg(&binary)
        .output()
        .expect("the compiler starts");
    let told = String::from_utf8_lossy(&built.stderr).into_owned();
    assert!(built.status.success(), "{told}");
    let ran = Command::new(&binary)
        .arg(here().join("../../examples/digits/digits.pt"))
        .output()
        .expect("the program starts");
    let mut text = String::from_utf8_lossy(&ran.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{:?}: {text}", ran.status);
    Some(text)
}

#[test]
fn a_c_program_runs_models_and_functions() {
    if let Some(text) = run("cc", "-std=c11", "program.c") {
        assert_eq!(text, "all is well\n");
    }
}

#[test]
fn a_cpp_program_runs_models_and_functions() {
    if let Some(text) = run("c++", "-std=c++17", "program.cpp") {
        assert_eq!(text, "all is well\n");
    }
}

/// The names that stand before a parenthesis in a text, after one of these words or signs.
fn names(text: &str, marks: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for mark in marks {
        for (at, _) in text.match_indices(mark) {
            let rest = &text[at + mark.len()..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let (name, rest) = rest.split_at(end.unwrap_or(rest.len()));
            if name.starts_with("rl_") && rest.starts_with('(') {
                found.insert(name.to_string());
            }
        }
    }
    found
}

#[test]
fn the_header_declares_what_the_library_has() {
    let read = |path: PathBuf| std::fs::read_to_string(path).expect("is there");
    let mut defined = BTreeSet::new();
    for file in std::fs::read_dir(here().join("src")).expect("is there") {
        let text = read(file.expect("is there").path());
        defined.extend(names(&text, &["extern \"C\" fn "]));
    }
    let header = read(here().join("include/rushlight.h"));
    let declarations: String = header
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
        .map(|line| format!("{line}\n"))
        .collect();
    let declared = names(&declarations, &[" ", "*"]);
    assert_eq!(declared, defined);
    assert!(defined.len() > 50);
}
