//! The language conformance programs: each is run by a command and its standard output compared.
//!
//! A folder holds `AREA/NAME.py` with the expected `AREA/NAME.out`, and `AREA/NAME.err` where the program is
//! meant to end with an uncaught exception. Two grades: *exact*, and *relaxed*, see [`text`].

mod process;
pub mod text;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::files::files_below;
use crate::report::{Case, Grade};

/// How to run the programs.
pub struct Options {
    /// The command; the program's name follows it.
    pub command: Vec<String>,
    /// The longest a program may take.
    pub limit: Duration,
    /// How many run at once.
    pub jobs: usize,
}

/// The command to run programs with: `text`, or Python with the wheel installed, which `RUSHLIGHT_PYTHON` names.
pub fn command(text: Option<&str>) -> Result<Vec<String>, String> {
    let words = match text {
        Some(text) => split_words(text)?,
        None => {
            let python = std::env::var("RUSHLIGHT_PYTHON").unwrap_or_else(|_| "python".to_owned());
            vec![python, "-m".to_owned(), "rushlight".to_owned()]
        }
    };
    let program = words.first().ok_or("an empty command")?;
    if program.contains('/') && !Path::new(program).exists() {
        return Err(format!(
            "{program} is not there; `cargo xtask wheel` makes the default one"
        ));
    }
    Ok(words)
}

/// Splits a command as a shell does: at blanks, but not within quotation marks.
fn split_words(text: &str) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = Vec::new();
    let mut quote = None;
    let mut in_word = false;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'') => (quote, in_word) = (Some(c), open_word(&mut words, in_word)),
            (None, _) if c.is_whitespace() => in_word = false,
            _ => {
                in_word = open_word(&mut words, in_word);
                words.last_mut().expect("a word is open").push(c);
            }
        }
    }
    if quote.is_some() {
        Err(format!("`{text}`: a quotation mark is not closed"))
    } else {
        Ok(words)
    }
}

fn open_word(words: &mut Vec<String>, in_word: bool) -> bool {
    if !in_word {
        words.push(String::new());
    }
    true
}

/// The programs below `dirs` whose path has `filter` in it, in the order of their paths.
pub fn find(dirs: &[PathBuf], filter: &str) -> Result<Vec<PathBuf>, String> {
    let is_program = |path: &Path| {
        path.extension().is_some_and(|extension| extension == "py")
            && path.with_extension("out").is_file()
    };
    let mut found = files_below(dirs, is_program)?;
    found.retain(|path| path.to_string_lossy().contains(filter));
    Ok(found)
}

/// Runs `programs`, a few at a time; the results come in their order.
pub fn run(programs: &[PathBuf], options: &Options) -> Result<Vec<Case>, String> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Result<Case, String>>>> =
        Mutex::new(programs.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                while let Some((at, program)) = take(programs, &next) {
                    let case = run_one(program, options);
                    results
                        .lock()
                        .unwrap_or_else(|poisoned| poisoned.into_inner())[at] = Some(case);
                }
            });
        }
    });
    let results = results
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    results.into_iter().flatten().collect()
}

fn take<'a>(programs: &'a [PathBuf], next: &AtomicUsize) -> Option<(usize, &'a PathBuf)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, programs.get(at)?))
}

fn run_one(program: &Path, options: &Options) -> Result<Case, String> {
    let program =
        std::path::absolute(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let (Some(folder), Some(name)) = (program.parent(), program.file_name()) else {
        return Err(format!("{}: not a program", program.display()));
    };
    let ended = process::run(
        &options.command,
        folder,
        &name.to_string_lossy(),
        options.limit,
    )?;
    let folders = spellings(folder);
    let got = text::normalise(&ended.stdout, &folders);
    let want = text::normalise(&read(&program.with_extension("out"))?, &folders);
    let error = program.with_extension("err");
    let expected = if error.is_file() {
        Some(read(&error)?)
    } else {
        None
    };
    let stderr = text::normalise(&ended.stderr, &folders);
    let verdict = compare(ended.success, &got, &want, expected.as_deref(), &stderr);
    let area = folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let id = program
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Ok(Case {
        row: area.clone(),
        group: area,
        id,
        grade: verdict.grade,
        reason: verdict.reason,
        detail: verdict.detail,
    })
}

/// The folder as it was named and as it really is; programs print either.
fn spellings(folder: &Path) -> Vec<String> {
    let mut all = vec![folder.to_string_lossy().into_owned()];
    if let Ok(real) = folder.canonicalize() {
        all.push(real.to_string_lossy().into_owned());
    }
    all.dedup();
    all
}

fn read(path: &Path) -> Result<String, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
}

struct Verdict {
    grade: Grade,
    reason: String,
    detail: String,
}

fn compare(
    success: Option<bool>,
    got: &str,
    want: &str,
    expected: Option<&str>,
    stderr: &str,
) -> Verdict {
    let exception = text::last_exception(stderr);
    let status_fits = success == Some(expected.is_none());
    let (same_class, same_error) = match expected.map(str::trim) {
        None => (true, true),
        Some(line) => {
            let (class, message) = line.split_once(": ").unwrap_or((line, ""));
            (
                exception.class == class,
                exception.class == class && exception.message == message,
            )
        }
    };
    let grade = if status_fits && same_error && got == want {
        Grade::Exact
    } else if status_fits && same_class && text::relax(got) == text::relax(want) {
        Grade::Relaxed
    } else {
        Grade::Failed
    };
    let reason = reason(success, expected.is_some(), &exception);
    let detail = match (success, first_difference(got, want)) {
        (None, _) => "ran into the time limit".to_owned(),
        (_, Some(difference)) if exception.class.is_empty() => difference,
        (_, Some(difference)) => {
            format!("{difference}; {}: {}", exception.class, exception.message)
        }
        (_, None) => format!("{}: {}", exception.class, exception.message),
    };
    Verdict {
        grade,
        reason,
        detail,
    }
}

/// The words for the ledger; coarse, so that they change seldom.
fn reason(success: Option<bool>, error_expected: bool, exception: &text::Exception) -> String {
    match success {
        None => "time limit".to_owned(),
        Some(false) if !error_expected && exception.class.is_empty() => "exit status".to_owned(),
        Some(false) if !error_expected => format!("raises {}", exception.class),
        Some(true) if error_expected => "raises nothing".to_owned(),
        Some(_) => "output".to_owned(),
    }
}

/// Whether a reason in the ledger is one of ours, to be renewed, and not one that somebody wrote.
pub fn is_automatic_reason(reason: &str) -> bool {
    let raises = reason
        .strip_prefix("raises ")
        .is_some_and(|class| !class.contains(' '));
    raises || ["time limit", "exit status", "output"].contains(&reason)
}

fn first_difference(got: &str, want: &str) -> Option<String> {
    let got: Vec<&str> = got.split('\n').collect();
    let want: Vec<&str> = want.split('\n').collect();
    (0..got.len().max(want.len()))
        .find(|at| got.get(*at) != want.get(*at))
        .map(|at| {
            let show =
                |line: Option<&&str>| line.map_or("the end".to_owned(), |line| format!("`{line}`"));
            format!(
                "line {}: got {}, want {}",
                at + 1,
                show(got.get(at)),
                show(want.get(at))
            )
        })
}

#[cfg(test)]
mod tests {
    use super::split_words;

    #[test]
    fn commands_split_as_in_a_shell() {
        assert_eq!(
            split_words("python -m 'a b'\"c\"  d"),
            Ok(["python", "-m", "a bc", "d"].map(str::to_owned).to_vec())
        );
        assert!(split_words("'a").is_err());
    }
}
