//! Runs the literate cases in `tests/script`, and `docs/language.md`, which is made of such. With `RECORD=1` in the environment the facts are written as they are now;
//! look at the difference before keeping it.

use rushlight_filetests::script;
use std::path::Path;

#[test]
fn cases_state_what_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/script");
    let mut files = script::files(&folder).expect("the folder of cases");
    assert!(!files.is_empty(), "there are no cases");
    files.push(folder.join("../../docs/language.md"));
    let mut wrong = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if std::env::var_os("RECORD").is_some() {
            match script::recorded(&text) {
                Ok(found) => std::fs::write(&path, found).expect("a writable file"),
                Err(error) => wrong.push(format!("{name}:{}: {}", error.line, error.message)),
            }
            continue;
        }
        wrong.extend(script::check(&name, &text));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// A case around a program, with further blocks.
fn case(program: &str, blocks: &str) -> String {
    format!("# File\n\n## Case\n\nSays what it shows.\n\n```python\n{program}```\n{blocks}")
}

fn only_report(text: &str) -> String {
    let mut reports = script::check("f.md", text);
    assert_eq!(reports.len(), 1, "{reports:?}");
    reports.remove(0)
}

#[test]
fn a_case_that_states_what_holds_passes() {
    let program = "def main():\n    x = [1]  # reveal x: List[int]\n    print(x)\n";
    let text = case(program, "```output\n[1]\n```\n");
    assert_eq!(script::check("f.md", &text), Vec::<String>::new());
    assert_eq!(script::recorded(&text).expect("a case"), text);
}

#[test]
fn a_wrong_type_is_reported_with_its_line() {
    let program = "def f(x: int):\n    y = x / 2  # reveal y: int; x: int\n    return y\n";
    assert_eq!(
        only_report(&case(program, "")),
        "f.md:9: Case: python\n  -     y = x / 2  # reveal y: int; x: int\n  +     y = x / 2  # reveal y: float; x: int\n"
    );
}

#[test]
fn errors_that_are_not_stated_or_do_not_happen_are_reported() {
    let silent = "def f(x: int):\n    return x.foo\n";
    assert!(
        only_report(&case(silent, ""))
            .contains("+     return x.foo  # error `x.foo`: 'int' object")
    );
    let loud = "def f(x: int):\n    return x  # error `x`: no\n";
    assert!(only_report(&case(loud, "")).ends_with("  +     return x\n"));
    let other_class =
        "def f(x: int):\n    return lambda: x  # error `lambda`: Lambda aren't supported\n";
    assert!(only_report(&case(other_class, "")).contains("# UnsupportedNodeError `"));
}

#[test]
fn wrong_blocks_are_reported() {
    let program = "def main():\n    print(1)\n";
    for block in [
        "output\n2\n",
        "graph\ngraph():\n",
        "code main\n",
        "graph nobody\n",
        "output\n",
    ] {
        let report = only_report(&case(program, &format!("```{block}```\n")));
        assert!(report.starts_with("f.md:"), "{report}");
    }
    let broken = "def main():\n    return x  # error `x`: undefined value x\n";
    assert!(
        only_report(&case(broken, "```output\n```\n")).contains("the program does not compile")
    );
}

#[test]
fn what_would_not_be_checked_is_refused() {
    let refused = |text: &str| only_report(text);
    assert_eq!(
        refused("# Nothing\n"),
        "f.md:1: there is no case in the file"
    );
    assert_eq!(
        refused("## Case\n\n```python\n```\n"),
        "f.md:3: a sentence says what the case shows"
    );
    assert_eq!(
        refused("## One\n\nText.\n\n## Two\n\nText.\n\n```python\n```\n"),
        "f.md:5: the case above has no program"
    );
    assert_eq!(
        refused("## Case\n\nText.\n\n```pyton\n```\n"),
        "f.md:5: blocks are python, graph, code or output"
    );
    assert_eq!(
        refused("## Case\n\nText.\n\n```graph\n```\n"),
        "f.md:5: the block follows no program"
    );
    assert_eq!(
        refused("## Case\n\nText.\n\n```python\n"),
        "f.md:5: the block does not end"
    );
}
