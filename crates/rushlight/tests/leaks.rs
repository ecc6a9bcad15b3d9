//! What is loaded, compiled and dropped leaves nothing behind.

use rushlight::tensor::memory;
use std::path::{Path, PathBuf};

#[global_allocator]
static ALLOCATOR: memory::Accounting = memory::Accounting;

/// The bytes that each repetition of `work` leaves, once what is kept for good is there.
fn left_by(work: impl Fn()) -> i64 {
    const TIMES: i64 = 4;
    (0..2).for_each(|_| work());
    let before = memory::in_use();
    (0..TIMES).for_each(|_| work());
    (memory::in_use() - before) / TIMES
}

fn archives(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            archives(&path, out);
        } else if path
            .extension()
            .is_some_and(|e| e != "json" && e != "py" && e != "md")
        {
            out.push(path);
        }
    }
}

#[test]
fn archives_leave_nothing() {
    let mut files = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/archive");
    archives(&folder, &mut files);
    assert!(files.len() > 50);
    let mut leaks = Vec::new();
    for file in files {
        let left = left_by(|| drop(rushlight::load(&file)));
        if left > 0 {
            leaks.push(format!("{}: {left} bytes", file.display()));
        }
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

#[test]
fn sources_leave_nothing() {
    for source in [
        "def f(x):\n    return x + 1\n",
        "def f(x: int) -> int:\n    if x > 0:\n        return g(x - 1)\n    return x\n\ndef g(x: int) -> int:\n    return x\n",
        "class A:\n    def __init__(self, x: int):\n        self.x = x\n\n    def more(self) -> 'A':\n        return A(self.x + 1)\n\ndef f(a: A) -> int:\n    return a.more().x\n",
        "def f(x):\n    return undefined\n",
    ] {
        let left = left_by(|| drop(rushlight::compile(source)));
        assert_eq!(left, 0, "{source}");
    }
    let run = |source: &str| {
        let script = rushlight::compile(source).unwrap();
        script.get("f").unwrap().call(&[]).unwrap();
    };
    for source in [
        "def f() -> int:\n    t = 0\n    for i in range(10):\n        t += g(i)\n    return t\n\ndef g(x: int) -> int:\n    return x * 2\n",
        "import torch\n\ndef f():\n    return torch.ones(3).sum()\n",
    ] {
        assert_eq!(left_by(|| run(source)), 0, "{source}");
    }
}
