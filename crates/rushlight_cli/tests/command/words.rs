//! The words of the command line: options in any order, help with examples, completions, the manual, short errors.

use crate::folder::{Folder, done, run};

const SOURCE: &str = "import torch
def twice(x: torch.Tensor) -> torch.Tensor:
    return 2 * x
";

#[test]
fn options_may_stand_after_arguments_and_expressions_may_begin_with_a_minus_sign() {
    let folder = Folder::new("words");
    let file = folder.write("twice.py", SOURCE);
    let out = folder.at("y.json");
    done(&["run", &file, "-torch.ones(2)", "--out", &out, "--seed", "3"]);
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "[-2.0,-2.0]\n");
    assert_eq!(
        done(&["run", &file, "--", "torch.ones(1)"]),
        "tensor([2.])\n"
    );
    let (status, _, errors) = run(&["run", &file, "torch.ones(1)", "--oot", "x"]);
    assert!(status == 2 && errors.contains("'--out'"), "{errors}");
}

#[test]
fn errors_are_short_however_large_the_values_are() {
    let folder = Folder::new("short");
    let file = folder.write("f.py", "def f(x: int) -> int:\n    return x\n");
    let (status, _, errors) = run(&["run", &file, "torch.rand(100, 9, 10, 2)"]);
    assert!(status == 1 && errors.len() < 10_000, "{}", errors.len());
    assert!(
        errors.contains("Expected a value of type 'int'"),
        "{errors}"
    );
    let long = "x".repeat(100_000);
    let (status, _, errors) = run(&["run", &file, &long]);
    assert!(status == 1 && errors.len() < 10_000, "{}", errors.len());
}

#[test]
fn every_subcommand_has_examples_and_a_page() {
    let help = done(&["--help"]);
    let names = help.lines().skip_while(|l| *l != "Commands:").skip(1);
    let names = names.take_while(|l| !l.is_empty());
    let names: Vec<&str> = names.filter_map(|l| l.split_whitespace().next()).collect();
    assert!(names.len() > 5);
    for name in names.into_iter().filter(|name| *name != "help") {
        let help = done(&[name, "--help"]);
        assert!(
            help.contains("Examples:\n  rushlight ") || help.contains("Examples:\n  source"),
            "{help}"
        );
        let page = done(&["man", name]);
        assert!(page.contains(&format!("rushlight\\-{name}")), "{page}");
        for shell in ["bash", "zsh", "fish"] {
            assert!(done(&["completions", shell]).contains(name), "{shell}");
        }
    }
    let folder = Folder::new("pages");
    done(&["man", "--out", &folder.at("pages")]);
    let page = std::fs::read_to_string(folder.at("pages/rushlight-run.1")).unwrap();
    assert!(page.contains("limit") && page.contains("EXTRA") || page.contains("Examples"));
    assert_eq!(run(&["man", "nothing"]).0, 1);
}
