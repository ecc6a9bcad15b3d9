//! `docs/command.md` and `docs/debugging.md` say what the command prints: every line behind a `$` is run in a copy of
//! `examples`, and what follows is compared. With `RUSHLIGHT_RECORD=1` in the environment what is printed is written into the page instead.

use crate::folder::Folder;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &place),
            false => drop(fs::copy(entry.path(), place).unwrap()),
        }
    }
}

/// What a line of shell prints, on both streams.
fn printed(line: &str, folder: &Path) -> String {
    let command = Path::new(env!("CARGO_BIN_EXE_rushlight"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", command.parent().unwrap().display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1\n{line}")]);
    shell
        .current_dir(folder)
        .env("PATH", path)
        .env("NO_COLOR", "1");
    String::from_utf8(shell.output().unwrap().stdout).unwrap()
}

/// Text in which small numbers count as equal: their last digits depend on the processor.
fn measured(text: &str) -> String {
    let small = |word: &&str| word.contains("e-") && word.parse::<f64>().is_ok();
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.iter().any(small) {
            true => {
                let words = words
                    .into_iter()
                    .map(|w| if small(&w) { "small" } else { w });
                words.collect::<Vec<_>>().join(" ")
            }
            false => line.trim_end().to_string(),
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_tutorial_shows_what_is_printed() {
    shows_what_is_printed("command");
}

#[test]
fn the_page_on_debugging_shows_what_is_printed() {
    shows_what_is_printed("debugging");
}

fn shows_what_is_printed(name: &str) {
    let page = root().join(format!("docs/{name}.md"));
    let text = fs::read_to_string(&page).unwrap();
    let folder = Folder::new(&format!("tutorial_{name}"));
    let place = PathBuf::from(folder.at("examples"));
    copy(&root().join("examples"), &place);
    let (mut out, mut in_block, mut skipping) = (String::new(), false, false);
    for line in text.lines() {
        let is_command = in_block && line.starts_with("$ ");
        if line.starts_with("```") {
            in_block = line == "```console";
            skipping = false;
        }
        // What was printed before is left out, and printed anew.
        if skipping && !is_command {
            continue;
        }
        out.push_str(line);
        out.push('\n');
        if is_command {
            out.push_str(&printed(&line[2..], &place));
            skipping = true;
        }
    }
    if std::env::var_os("RUSHLIGHT_RECORD").is_some() {
        fs::write(&page, out).unwrap();
    } else {
        assert_eq!(measured(&out), measured(&text));
    }
}
