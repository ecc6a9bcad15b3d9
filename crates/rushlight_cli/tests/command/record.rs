//! `rushlight record` and `rushlight verify`: runs in files, and whether they give the same again.

use crate::folder::{Folder, done, run};

const SOURCE: &str = "import torch
from typing import Dict, List, Optional, Tuple
def f(x: torch.Tensor, rows: List[List[int]], names: Dict[str, float], pair: Tuple[int, str], none: Optional[int], empty: List[str]):
    x += 1
    half = x.to(torch.bfloat16)
    return half, {'sum': x.sum(), 'z': torch.complex(x, x)}, names['a'] / 3, pair[1] + ' it\\'s\\n\\t\u{e9}', len(empty), torch.rand(2), [x == 0, x > float('inf')]
";
const OTHER: &str = "import torch
def f(x: torch.Tensor, y: int):
    return x.sum() + y, x.to(torch.float16), y
def g(x: torch.Tensor, y: int):
    return x.sum() + y + 1e-7, x.to(torch.float16) * 2, y + 1
def h(x: torch.Tensor, y: int):
    return x.to(torch.float64), x
";

#[test]
fn recordings_hold_every_kind_of_value() {
    let folder = Folder::new("record");
    let file = folder.write("f.py", SOURCE);
    for kind in ["npz", "json"] {
        let recorded = folder.at(&format!("run.{kind}"));
        let told = done(&[
            "record",
            &file,
            "torch.rand(3, 2)",
            "[[1, 2], [3]]",
            "{'a': 0.1, 'b': float('nan')}",
            "(-3, 'it\\'s')",
            "None",
            "torch.jit.annotate(List[str], [])",
            "--out",
            &recorded,
            "--seed",
            "7",
        ]);
        assert!(told.contains("6 arguments, 9 outputs"), "{told}");
        let table = done(&["verify", &file, &recorded]);
        assert!(
            table.lines().count() == 10 && table.lines().skip(1).all(|l| l.ends_with("same")),
            "{table}"
        );
        assert!(
            table.contains("result[1]['z']    complex64 [3, 2]"),
            "{table}"
        );
        // The random numbers of another seed.
        let (status, table, _) = run(&["verify", &file, &recorded, "--seed", "8"]);
        let different = table.lines().filter(|l| l.contains("DIFFERENT")).count();
        assert_eq!((status, different), (1, 1), "{table}");
        assert!(
            table
                .lines()
                .any(|l| l.starts_with("result[5]") && l.contains("2 of 2")),
            "{table}"
        );
    }
}

#[test]
fn differences_are_shown_and_measured() {
    let folder = Folder::new("verify");
    let file = folder.write("f.py", OTHER);
    let recorded = folder.at("run.json");
    done(&[
        "record",
        &format!("{file}:f"),
        "torch.tensor([0.25, 0.5])",
        "1",
        "-o",
        &recorded,
    ]);
    let other = format!("{file}:g");
    let (status, table, _) = run(&["verify", &other, &recorded]);
    assert_eq!(status, 1);
    let expected = "\
output     kind         max abs  max rel  outside
result[0]  float32 []   1.19e-7  6.81e-8  0 of 1   same
result[1]  float16 [2]  5.00e-1  1.00e0   2 of 2   DIFFERENT
result[2]  int          -        -        -        DIFFERENT: is 2
";
    assert_eq!(table, expected);
    let (status, table, _) = run(&["verify", &other, &recorded, "--json", "--atol", "1"]);
    assert_eq!(status, 1);
    let table: serde_json::Value = serde_json::from_str(&table).unwrap();
    assert_eq!(table["outputs"][1]["same"], true);
    assert_eq!(table["outputs"][1]["max_abs"], 0.5);
    assert_eq!(table["same"], false);
    let (status, table, _) = run(&["verify", &format!("{file}:h"), &recorded]);
    assert!(
        status == 1
            && table.contains("DIFFERENT: is float64 [2]")
            && table.contains("DIFFERENT: missing"),
        "{table}"
    );
    let (status, _, errors) = run(&["verify", &other, &file]);
    assert!(
        status == 1 && errors.contains("f.py: this is no recording"),
        "{errors}"
    );
    let (status, _, errors) = run(&["record", &other, "1", "1", "-o", &recorded]);
    assert!(
        status == 1 && errors.contains("Expected a value of type 'Tensor'"),
        "{errors}"
    );
}

/// Something that is started as a Python interpreter is.
#[cfg(unix)]
fn interpreter(folder: &Folder, name: &str, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.write(name, format!("#!/bin/sh\ncat > /dev/null\n{script}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[cfg(unix)]
#[test]
fn another_interpreter_is_asked() {
    let folder = Folder::new("against");
    let file = folder.write("f.py", OTHER);
    let (target, recorded) = (format!("{file}:f"), folder.at("run.npz"));
    done(&[
        "record",
        &target,
        "torch.tensor([0.25, 0.5])",
        "1",
        "-o",
        &recorded,
    ]);
    let against = |script: &str| {
        let python = interpreter(&folder, "python", script);
        run(&["verify", &target, &recorded, "--against", &python])
    };
    let header = r#"[{"path":"result[0]","dtype":"float32","shape":[],"length":4},{"path":"result[1]","dtype":"float16","shape":[2],"length":4},{"path":"result[2]","kind":"int","value":1}]"#;
    // 1.75 as float32, 0.25 and 0.5 as float16.
    let (status, table, errors) = against(&format!(
        r#"echo '{header}'; printf '\000\000\340\077\000\064\000\070'"#
    ));
    assert_eq!(status, 0, "{table}{errors}");
    let (status, _, errors) = against("echo 'no torch: No module named torch' >&2; exit 1");
    assert!(
        status == 1 && errors.contains("python has no torch (No module named torch)"),
        "{errors}"
    );
    let (status, _, errors) = against("echo 'ValueError: 3' >&2; exit 1");
    assert!(
        status == 1 && errors.contains("failed (exit status: 1):\nValueError: 3"),
        "{errors}"
    );
    let (status, _, errors) = against("echo nothing");
    assert!(status == 1 && errors.contains("cannot be read"), "{errors}");
    let gone = folder.at("gone");
    let (status, _, errors) = run(&["verify", &target, &recorded, "--against", &gone]);
    assert!(
        status == 1 && errors.contains("gone: this interpreter cannot be started"),
        "{errors}"
    );
    let python = interpreter(&folder, "slow", "exec sleep 60");
    let (status, _, errors) = run(&[
        "verify",
        &target,
        &recorded,
        "--against",
        &python,
        "--limit-time",
        "0.3",
    ]);
    assert!(
        status == 1 && errors.contains("stopped after 300 ms"),
        "{errors}"
    );
}

#[test]
fn damaged_recordings_are_refused_or_read() {
    let folder = Folder::new("damaged");
    let file = folder.write("f.py", OTHER);
    let target = format!("{file}:f");
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for kind in ["json", "npz"] {
        let recorded = folder.at(&format!("run.{kind}"));
        done(&[
            "record",
            &target,
            "torch.tensor([0.25, 0.5])",
            "1",
            "-o",
            &recorded,
        ]);
        let whole = std::fs::read(&recorded).unwrap();
        for _ in 0..150 {
            let mut bytes = whole.clone();
            for _ in 0..1 + random(3) {
                let at = random(bytes.len());
                bytes[at] = match random(3) {
                    0 => random(256) as u8,
                    1 => b"0129[]{}\",:"[random(11)],
                    _ => bytes[random(bytes.len())],
                };
            }
            bytes.truncate(match random(5) {
                0 => random(bytes.len()),
                _ => bytes.len(),
            });
            std::fs::write(&recorded, bytes).unwrap();
            let line = ["verify", &target, &recorded, "--limit-memory", "500M"];
            let (status, out, errors) = run(&line);
            assert!(
                status <= 1 && !errors.contains("mistake in Rushlight"),
                "{out}{errors}"
            );
        }
    }
}
