//! `rushlight graph`: pictures of archives and of source files.

use crate::folder::{Folder, done, run};
use std::path::Path;

const SOURCE: &str = "import torch
def half(x: int) -> int:
    if x < 0:
        raise ValueError('below zero')
    return x // 2
def steps(x: int) -> int:
    count = 0
    while x > 1:
        x = half(x)
        count += 1
    return count
";

fn recorded(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/archive");
    path.join(name).to_str().unwrap().to_string()
}

#[test]
fn pictures_leave_out_checks_and_say_so() {
    let folder = Folder::new("graph");
    let file = folder.write("steps.py", SOURCE);
    let target = format!("{file}:steps");
    let svg = folder.at("steps.svg");
    let told = done(&["graph", &target, "--inlined", "--svg", &svg]);
    assert!(told.contains("left out: 1 check (--all draws"), "{told}");
    let drawn = std::fs::read_to_string(&svg).unwrap();
    assert!(drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n"));
    for part in [">loop<", ">next count<", ">floordiv<", ">b=2<", "steps.py:"] {
        assert!(drawn.contains(part), "{part}: {drawn}");
    }
    assert!(!drawn.contains("RaiseException"), "{drawn}");
    done(&["graph", &target, "--inlined", "--svg", &svg, "--all"]);
    let drawn = std::fs::read_to_string(&svg).unwrap();
    assert!(drawn.contains(">RaiseException<"), "{drawn}");
    let (status, _, errors) = run(&["graph", &file, "--svg", &svg]);
    assert!(status == 1 && errors.contains("half, steps"), "{errors}");
}

#[test]
fn pages_have_the_lines_beside_boxes_and_need_nothing_else() {
    let folder = Folder::new("page");
    let page = folder.at("page.html");
    let file = recorded("submodules.pt");
    done(&["graph", &file, "--inlined", "--html", &page]);
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("<!DOCTYPE html>"), "{text}");
    for part in [
        "id=\"find\"",
        "\"places\":[[",
        "\"files\":[{",
        "prefers-color-scheme",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(!text.contains("https://") && !text.contains("src="));
}

#[test]
fn sizes_follow_from_arguments() {
    let folder = Folder::new("sizes");
    let svg = folder.at("sizes.svg");
    let file = recorded("traced_module.pt");
    done(&[
        "graph",
        &file,
        "torch.ones(2, 3, 8, 8)",
        "--inlined",
        "--svg",
        &svg,
    ]);
    let drawn = std::fs::read_to_string(&svg).unwrap();
    for part in ["float32 2\u{d7}3\u{d7}8\u{d7}8", "float32 2\u{d7}5<"] {
        assert!(drawn.contains(part), "{part}: {drawn}");
    }
    let (status, _, errors) = run(&["graph", &file, "1", "2", "--svg", &svg]);
    assert!(
        status == 1 && errors.contains("takes 1 argument"),
        "{errors}"
    );
    let (status, _, errors) = run(&["graph", &file, "1"]);
    assert!(status == 1 && errors.contains("--svg"), "{errors}");
}
