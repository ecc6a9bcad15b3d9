//! `rushlight run --each`: many inputs, in batches and several at a time, failures, going on.

use crate::folder::{Folder, done, run};
use std::fs;

const SOURCE: &str = "import torch
def total(x: torch.Tensor) -> torch.Tensor:
    if x.size(-1) == 3:
        raise ValueError('three is not taken')
    return x.sum(-1) + torch.zeros([])
def named(x: torch.Tensor, factor: int):
    return {'double': x * factor, 'shape': x.size()}
def pair(x: torch.Tensor):
    return x + 1, x - 1
";

/// Ten vectors: number `i` has the elements 0..i%4 plus i.
fn inputs(folder: &Folder) -> Vec<String> {
    let source = "import torch\ndef f(i: int):\n    return torch.arange(i % 4) * 1.0 + i\n";
    let file = folder.write("make.py", source);
    fs::create_dir_all(folder.at("in/deeper")).unwrap();
    let name = |i: usize| match i {
        9 => folder.at("in/deeper/x9.npy"),
        i => folder.at(&format!("in/x{i}.npy")),
    };
    for i in 0..10 {
        done(&["run", &file, &i.to_string(), "--out", &name(i)]);
    }
    folder.write("in/notes.txt", "not an input");
    folder.write("in/.hidden.npy", "not one either");
    [vec![name(9)], (0..9).map(name).collect()].concat()
}

#[test]
fn results_come_in_the_order_of_inputs_however_they_are_run() {
    let folder = Folder::new("each_order");
    let (file, all) = (folder.write("f.py", SOURCE), inputs(&folder));
    let target = format!("{file}:total");
    let out = folder.at("out.ndjson");
    let mut seen = Vec::new();
    for options in [
        &[][..],
        &["--jobs", "3"],
        &["--batch", "2"],
        &["--batch", "3", "--jobs", "2"],
    ] {
        let line = ["run", &target, "--each", &folder.at("in"), "--out", &out];
        let (status, told, errors) = run(&[&line, options].concat());
        assert_eq!(status, 1, "{told}{errors}");
        assert!(told.contains("8 of 10 results"), "{told}");
        assert!(
            errors.starts_with("2 of 10 inputs failed:\n") && errors.contains("three is not taken"),
            "{errors}"
        );
        let text = fs::read_to_string(&out).unwrap();
        let names: Vec<serde_json::Value> = text
            .lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect();
        let names: Vec<&str> = names.iter().map(|l| l["input"].as_str().unwrap()).collect();
        assert_eq!(names, all);
        seen.push(
            text.lines()
                .filter(|l| l.contains("result"))
                .map(str::to_string)
                .collect::<Vec<_>>(),
        );
    }
    assert_eq!(seen[0].len(), 8);
    assert!(seen[0][2].ends_with("\"result\":1.0}"), "{}", seen[0][2]);
    assert!(seen.iter().all(|lines| *lines == seen[0]));
}

#[test]
fn inputs_are_patterns_folders_files_and_lines() {
    let folder = Folder::new("each_inputs");
    let (file, all) = (folder.write("f.py", SOURCE), inputs(&folder));
    let target = format!("{file}:pair");
    let pattern = folder.at("in/x[0-2].*");
    let printed = done(&["run", &target, "--each", &pattern, "--each", &all[1]]);
    assert_eq!(
        printed.lines().next().unwrap(),
        format!("{}: (tensor([]), tensor([]))", all[1])
    );
    assert_eq!(printed.lines().count(), 3);
    let (status, _, errors) = run(&["run", &target, "--each", &folder.at("none*")]);
    assert!(status == 1 && errors.contains("no file fits"), "{errors}");
    let (status, _, errors) = run(&["run", &target, "--each", &folder.at("none.npy")]);
    assert!(
        status == 1 && errors.contains("none.npy: there is no such file"),
        "{errors}"
    );
    let (status, _, errors) = run(&["run", &target, "--each", &all[1], &all[2]]);
    assert!(status == 1 && errors.contains("in quotes"), "{errors}");
    let (status, _, errors) = run(&["run", &target, "--each", &folder.at("in/notes.txt")]);
    assert!(
        status == 1 && errors.contains("notes.txt: only .npy, .npz"),
        "{errors}"
    );
    assert_eq!(run(&["run", &target, "--batch", "2"]).0, 2);
}

#[test]
fn folders_and_arrays_hold_every_result() {
    let folder = Folder::new("each_files");
    let file = folder.write("f.py", SOURCE);
    inputs(&folder);
    let (target, out) = (format!("{file}:named"), folder.at("out"));
    let all = folder.at("in");
    done(&["run", &target, "--each", &all, "{}", "3", "--out", &out]);
    let text = fs::read_to_string(folder.at("out/x2.npy.json")).unwrap();
    assert_eq!(text, "{\"double\":[6.0,9.0],\"shape\":[2]}\n");
    assert!(fs::exists(folder.at("out/deeper/x9.npy.json")).unwrap());
    let (target, out) = (format!("{file}:pair"), folder.at("out.npz"));
    done(&["run", &target, "--each", &all, "--out", &out, "--jobs", "2"]);
    let twice = folder.write(
        "g.py",
        "import torch\ndef g(x: torch.Tensor):\n    return x\n",
    );
    let entry = format!("@{out}:{}/x2.npy/1", all.trim_start_matches('/'));
    assert_eq!(done(&["run", &twice, &entry]), "tensor([1., 2.])\n");
    let (status, _, errors) = run(&["run", &target, "--each", &all, "--out", &folder.at("o.csv")]);
    assert!(status == 1 && errors.contains("'.csv'"), "{errors}");
}

#[test]
fn a_run_goes_on_where_another_was_stopped() {
    let folder = Folder::new("each_resume");
    let (file, all) = (folder.write("f.py", SOURCE), inputs(&folder));
    let (failing, target) = (format!("{file}:total"), format!("{file}:pair"));
    for out in ["out.ndjson", "out.npz", "out"].map(|name| folder.at(name)) {
        assert_eq!(
            run(&["run", &failing, "--each", &folder.at("in"), "--out", &out]).0,
            1
        );
        let told = done(&[
            "run",
            &target,
            "--each",
            &folder.at("in"),
            "--out",
            &out,
            "--resume",
        ]);
        assert!(told.contains("10 of 10 results"), "{told}");
    }
    // The two that had failed have the results of the second run, and stand in their places.
    let text = fs::read_to_string(folder.at("out.ndjson")).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let names: Vec<&str> = lines.iter().map(|l| l["input"].as_str().unwrap()).collect();
    assert_eq!(names, all);
    let pairs = lines.iter().filter(|l| l["result"][0].is_array()).count();
    assert_eq!((lines.len(), pairs), (10, 2));
}

#[test]
fn limits_hold_for_every_input() {
    let folder = Folder::new("each_limits");
    let source = "import torch
def f(x: torch.Tensor) -> int:
    n = int(x.sum())
    i = 0
    while n == 0:
        i += 1
    return i
";
    let file = folder.write("f.py", source);
    let all = inputs(&folder);
    let line = [
        "run",
        &file,
        "--each",
        &all[1],
        "--each",
        &all[2],
        "--each",
        &all[3],
        "--limit-time",
        "0.2",
    ];
    let (status, out, errors) = run(&line);
    assert_eq!((status, out.lines().count()), (1, 2), "{out}{errors}");
    assert!(
        errors.starts_with("1 of 3 inputs failed:") && errors.contains("stopped after 200 ms"),
        "{errors}"
    );
}

#[test]
fn runs_do_not_see_one_another() {
    let folder = Folder::new("each_apart");
    let source = "import torch
def f(x: torch.Tensor, seen: torch.Tensor, names: List[int]):
    seen += 1
    names.append(x.numel())
    return int(seen), len(names), float(torch.rand([]))
";
    let file = folder.write("f.py", format!("from typing import List\n{source}"));
    inputs(&folder);
    let all = folder.at("in");
    let out = done(&[
        "run",
        &file,
        "--each",
        &all,
        "{}",
        "torch.tensor(0)",
        "[1]",
        "--jobs",
        "3",
    ]);
    let results: Vec<&str> = out
        .lines()
        .filter_map(|l| l.split_once(": "))
        .map(|l| l.1)
        .collect();
    assert!(
        results.len() == 10 && results[0].starts_with("(1, 2, 0."),
        "{out}"
    );
    assert!(results.iter().all(|result| *result == results[0]), "{out}");
}
