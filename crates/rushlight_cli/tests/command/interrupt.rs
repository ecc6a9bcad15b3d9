//! Ctrl-C: a script stops at once and says where it was, and what was done of many inputs is kept.

use crate::folder::{Folder, done};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SPIN: &str = "import torch
def spin(x: torch.Tensor) -> torch.Tensor:
    n = int(x)
    i = 0
    print('seen', n)
    while n > 2:
        i += 1
    return x + i
";

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rushlight"));
    command.args(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits until scripts have printed so many lines.
fn wait(child: &mut Child, lines: usize) {
    let mut out = BufReader::new(child.stdout.as_mut().unwrap());
    let mut line = String::new();
    for _ in 0..lines {
        assert!(out.read_line(&mut line).unwrap() > 0, "{line}");
    }
    // For what follows the print.
    std::thread::sleep(Duration::from_millis(300));
}

/// What the process says after Ctrl-C, which ends it with the status that shells expect.
fn interrupted(child: Child) -> String {
    let mut kill = Command::new("kill");
    kill.args(["-INT", &child.id().to_string()]);
    assert!(kill.status().unwrap().success());
    let asked = Instant::now();
    let output = child.wait_with_output().unwrap();
    // 100 ms on a machine with nothing else to do; tests share theirs.
    assert!(
        asked.elapsed() < Duration::from_secs(2),
        "{:?}",
        asked.elapsed()
    );
    assert_eq!(output.status.code(), Some(130));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_script_stops_with_its_traceback() {
    let folder = Folder::new("spin");
    let file = folder.write("spin.py", SPIN);
    let mut child = start(&["run", &file, "torch.tensor(3)"]);
    wait(&mut child, 1);
    let told = interrupted(child);
    assert!(
        told.contains("line 6, in spin") && told.contains("while n > 2:"),
        "{told}"
    );
    assert!(told.contains("interrupted"), "{told}");
}

#[test]
fn what_was_done_of_many_inputs_is_kept() {
    let folder = Folder::new("spin_each");
    let file = folder.write("spin.py", SPIN);
    let id = folder.write(
        "id.py",
        "import torch\ndef f(x: int):\n    return torch.tensor(x)\n",
    );
    for i in 0..6 {
        fs::create_dir_all(folder.at("in")).unwrap();
        done(&[
            "run",
            &id,
            &i.to_string(),
            "--out",
            &folder.at(&format!("in/{i}.npy")),
        ]);
    }
    for (name, jobs) in [("out.ndjson", "1"), ("out.ndjson", "2"), ("out.npz", "1")] {
        let (all, out) = (folder.at("in"), folder.at(name));
        let _ = fs::remove_file(&out);
        let mut child = start(&["run", &file, "--each", &all, "--out", &out, "--jobs", jobs]);
        wait(&mut child, 4);
        let told = interrupted(child);
        assert!(
            told.contains("interrupted: 3 of 6 inputs are left; the same command with --resume"),
            "{told}"
        );
        if name == "out.ndjson" {
            let text = fs::read_to_string(&out).unwrap();
            assert!(text.ends_with('\n') && text.lines().count() == 3, "{text}");
            assert!(
                text.lines()
                    .all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
            );
        } else {
            assert!(fs::read(&out).unwrap().starts_with(b"PK"));
        }
    }
}

#[test]
fn a_check_of_much_source_stops() {
    let folder = Folder::new("much");
    let mut text = String::from("import torch\ndef f(x: torch.Tensor, k: int):\n");
    for i in 0..40_000 {
        text.push_str(&format!("    x = torch.add(x * {i}, k + {i})\n"));
    }
    let file = folder.write("much.py", &text);
    let child = start(&["check", &file]);
    std::thread::sleep(Duration::from_millis(300));
    let told = interrupted(child);
    assert!(told.contains("interrupted"), "{told}");
}
