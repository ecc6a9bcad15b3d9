//! Looking at what the compiler does: passes, graphs on the way, register code.

use crate::folder::{Folder, done, run};
use std::path::Path;

const SOURCE: &str = "\
def inner(x: int) -> int:
    return x * 2

def outer(x: int) -> int:
    if x > 1 + 2:
        x = inner(x)
    return x + 0
";

fn source(folder: &Folder) -> String {
    folder.write("f.py", SOURCE)
}

#[test]
fn passes_are_listed_with_what_they_do() {
    let list = done(&["pass", "--list"]);
    let names: Vec<&str> = list.lines().filter_map(|l| l.split(' ').next()).collect();
    assert!(names.len() > 30 && names.contains(&"dead_code") && names.contains(&"tidy"));
    assert!(list.lines().all(|line| line.split_whitespace().count() > 2));
}

#[test]
fn every_pass_runs_on_its_own() {
    let folder = Folder::new("every_pass");
    let file = source(&folder);
    let list = done(&["pass", "--list"]);
    for name in list.lines().filter_map(|l| l.split(' ').next()) {
        let graph = done(&["pass", &format!("{file}:outer"), "--passes", name]);
        assert!(graph.starts_with("graph(%x.1 : int):\n"), "{name}: {graph}");
    }
}

#[test]
fn the_clean_up_makes_of_raw_graphs_what_everybody_sees() {
    let folder = Folder::new("raw");
    let outer = format!("{}:outer", source(&folder));
    let seen = done(&["graph", &outer]);
    let raw = done(&["graph", &outer, "--after", "source"]);
    assert_ne!(raw, seen);
    assert_eq!(done(&["pass", &outer]), seen);
    assert_eq!(done(&["pass", &outer, "--raw"]), raw);
    assert_eq!(done(&["pass", &outer, "--raw", "--passes", "tidy"]), seen);
    assert_eq!(
        done(&["graph", &outer, "--after", "canonical_outputs"]),
        seen
    );
    let stop = |changes: &str| {
        let words = ["pass", &outer, "--raw", "--passes", "tidy", "--stop-after"];
        run(&[&words[..], &[changes]].concat())
    };
    let (status, graph, told) = stop("0");
    assert_eq!((status, &graph), (0, &raw));
    assert_eq!(told, "stopped after 0 changes, in normalize_operators\n");
    let (status, graph, told) = stop("1000000");
    assert_eq!((status, &graph, told.as_str()), (0, &seen, ""));
}

#[test]
fn calls_are_inlined_and_passes_timed() {
    let folder = Folder::new("inlined");
    let outer = format!("{}:outer", source(&folder));
    let passes = ["--passes", "inline,peephole, dead_code", "--timing"];
    let (status, graph, told) = run(&[&["pass", &outer][..], &passes].concat());
    assert_eq!(status, 0, "{told}");
    assert!(graph.contains("aten::mul") && !graph.contains("prim::CallFunction"));
    let rows: Vec<&str> = told.lines().filter_map(|l| l.split(' ').next()).collect();
    assert_eq!(rows, ["pass", "inline", "peephole", "dead_code"]);
}

#[test]
fn graphs_are_read_from_text_and_from_cases() {
    let folder = Folder::new("text");
    let text = "graph(%a.1 : int):\n  %1 : int = aten::add(%a.1, %a.1)\n  return (%a.1)\n";
    let file = folder.write("g.ir", text);
    assert_eq!(done(&["pass", &file]), text);
    assert_eq!(
        done(&["pass", &file, "--passes", "dead_code"]),
        "graph(%a.1 : int):\n  return (%a.1)\n"
    );
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir/peephole.ir");
    let wanted = std::fs::read_to_string(&cases).unwrap();
    let second = wanted.split("\n---\n").nth(1).unwrap();
    let wanted = second.split_once("becomes:\n").unwrap().1.trim();
    let target = format!("{}:2", cases.display());
    assert_eq!(done(&["pass", &target]).trim(), wanted);
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let folder = Folder::new("refused");
    let file = source(&folder);
    let graph = folder.write("g.ir", "graph(%a : int):\n  return (%b)\n");
    let refused = |words: &[&str], expected: &str| {
        let (status, out, errors) = run(words);
        assert!(status != 0 && out.is_empty(), "{words:?}: {out}");
        assert!(errors.contains(expected), "{words:?}: {errors}");
    };
    refused(
        &["pass", &file, "--passes", "nothing"],
        "there is no pass 'nothing'; `rushlight pass --list`",
    );
    refused(
        &["pass", &graph],
        "line 2: Cannot find a variable with name 'b'",
    );
    refused(&["pass", &graph, "--raw"], "is a graph already");
    refused(&["pass", &format!("{graph}:2")], "there are 1 cases");
    refused(&["pass", &format!("{file}:none")], "no function 'none'");
    refused(
        &["pass", &format!("{file}:none"), "--raw"],
        "no function 'none'",
    );
    refused(
        &["graph", &file, "--after", "inline"],
        "in this order: source, normalize_operators",
    );
    let archive = folder.archive("f.pt", SOURCE);
    refused(
        &["graph", &archive, "--after", "tuples"],
        "only graphs from source files",
    );
    refused(&["pass"], "<TARGET>");
}

#[test]
fn register_code_is_listed_with_its_lines() {
    let folder = Folder::new("registers");
    let file = source(&folder);
    let code = done(&["code", &format!("{file}:inner"), "--registers"]);
    assert!(code.starts_with("code inner: 1 parameters, "), "{code}");
    assert!(
        code.contains("MulInt r0, ") && code.contains("f.py:2"),
        "{code}"
    );
    assert!(code.trim_end().lines().last().unwrap().contains("return r"));
    let all = done(&["code", &file, "--registers"]);
    assert!(all.contains("code inner: ") && all.contains("\n\ncode outer: "));
    let archive = folder.archive("f.pt", SOURCE);
    let all = done(&["code", &archive, "--registers"]);
    assert!(
        all.contains("# __torch__.") && all.contains("code outer: "),
        "{all}"
    );
    let (status, _, errors) = run(&["code", &format!("{file}:none"), "--registers"]);
    assert!(status == 1 && errors.contains("no function 'none'"));
}
