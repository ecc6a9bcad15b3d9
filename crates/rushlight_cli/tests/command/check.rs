//! `rushlight check`: every mistake is told once, where it is, with what would mend it.

use crate::folder::{Folder, run, told};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// The files with mistakes, of functions and of modules: lines with one end in `# problem`.
const FILES: &[&str] = &["mistakes.py", "modules.py"];

fn seeded(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/check")
        .join(name)
}

fn mistakes() -> PathBuf {
    seeded("mistakes.py")
}

fn problems(path: &Path) -> Vec<Json> {
    let (_, out, _) = run(&["check", "--json", &path.display().to_string()]);
    let report: Json = serde_json::from_str(&out).expect("the command writes JSON");
    let problems = report["files"][0]["problems"].as_array();
    problems.expect("a list of problems").clone()
}

#[test]
fn every_mistake_is_told_once_at_its_line() {
    for name in FILES {
        let text = std::fs::read_to_string(seeded(name)).unwrap();
        let marked: Vec<u64> = (1..)
            .zip(text.lines())
            .filter(|(_, line)| line.ends_with("# problem"))
            .map(|(number, _)| number)
            .collect();
        let told: Vec<u64> = problems(&seeded(name))
            .iter()
            .map(|p| p["place"]["line"].as_u64().expect("a place"))
            .collect();
        assert_eq!(told, marked, "{name}");
        assert!(told.len() >= 20);
    }
}

#[test]
fn hints_mend_what_they_are_about() {
    let text = std::fs::read_to_string(seeded("hints.py")).unwrap();
    let wanted: Vec<(u64, &str)> = (1..)
        .zip(text.lines())
        .filter_map(|(number, line)| Some((number, line.split_once("  # hint: ")?.1)))
        .collect();
    let found = problems(&seeded("hints.py"));
    let lines = found.iter().map(|p| p["place"]["line"].as_u64().unwrap());
    let marked: Vec<u64> = wanted.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines.collect::<Vec<u64>>(), marked);
    for ((line, wanted), problem) in wanted.iter().zip(&found) {
        let hint = problem["hint"].as_str().unwrap_or_default();
        assert!(hint.contains(wanted), "line {line}: {hint}");
    }
}

/// Lines that cannot be read, each with the column where the one problem is, and what the hint says.
const UNREAD: &[(&str, u64, &str)] = &[
    ("    retrun x", 12, "did you mean `return`?"),
    ("    return x)", 13, "there is no `(` that this closes"),
    (
        "    if x.dim() = 3:\n        return x\n    return x",
        16,
        "to compare, write `==`",
    ),
    (
        "    return [i if i > 2 for i in range(3)]",
        24,
        "write a `for` loop",
    ),
];

#[test]
fn a_line_that_cannot_be_read_is_one_problem() {
    let folder = Folder::new("unread");
    for (line, column, hint) in UNREAD {
        let text = format!("import torch\n\ndef f(x: torch.Tensor):\n{line}\n");
        let found = problems(Path::new(&folder.write("f.py", text)));
        assert_eq!(found.len(), 1, "{line}: {found:#?}");
        assert_eq!(found[0]["place"]["column"], *column, "{line}");
        let told = found[0]["hint"].as_str().unwrap_or_default();
        assert!(told.contains(hint), "{line}: {told}");
    }
}

#[test]
fn helpers_of_a_program_are_left_alone_and_constants_are_noted() {
    let folder = Folder::new("helpers");
    let text = "import math
import torch

pi = math.pi
EPS = 1e-6
act = torch.relu

class Net(torch.nn.Module):
    def forward(self, x):
        return act(x) * pi + EPS

def load(path: str):
    with open(path) as file:
        return file.read()

def get_device():
    return torch.device('cuda' if torch.cuda.is_available() else 'cpu')

def twice(x: Tensor) -> Tensor:
    return x + x
";
    let (status, out, _) = run(&["check", &folder.write("net.py", text)]);
    assert_eq!(status, 0, "{out}");
    for told in [
        "which PyTorch refuses: EPS, pi",
        "at which Python stops: Tensor",
        "load (reads or writes files)",
        "get_device (asks for devices)",
    ] {
        assert!(out.contains(told), "{told}: {out}");
    }
}

#[test]
fn texts_are_read_as_they_say() {
    let folder = Folder::new("encodings");
    let lines = "def f(x: int):\r\n    return y\r\n\r\ndef g(x: int):\r\n    return 1\r\n";
    let (_, out, _) = run(&["check", "--color", "never", &folder.write("crlf.py", lines)]);
    assert!(
        out.contains("return y") && !out.contains('\u{240d}'),
        "{out}"
    );
    let latin = [
        b"# -*- coding: latin-1 -*-\ndef f(x: int):\n    return x  # caf".as_slice(),
        &[0xe9],
        b"\n",
    ];
    let path = folder.at("latin.py");
    std::fs::write(&path, latin.concat()).unwrap();
    assert_eq!(run(&["check", &path]).0, 0);
    std::fs::write(&path, [0xff, 0xfe, b'x', 0]).unwrap();
    let (status, _, told) = run(&["check", &path]);
    assert!(status == 1 && told.contains("UTF-16"), "{told}");
    std::fs::write(&path, b"# coding: koi8-r\n\xd7\n").unwrap();
    let (status, _, told) = run(&["check", &path]);
    assert!(status == 1 && told.contains("koi8-r"), "{told}");
}

#[test]
fn a_function_that_makes_layers_is_told_where_these_are_made() {
    let folder = Folder::new("layers");
    let text = "from torch import nn\n\n@torch.jit.script\ndef block(n: int):\n    return nn.Conv2d(n, n, 3)\n";
    let file = folder.write("block.py", format!("import torch\n{text}"));
    let found = problems(Path::new(&file));
    let hint = found[0]["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("`__init__`"), "{found:#?}");
}

#[test]
fn nearly_every_problem_comes_with_a_hint() {
    let problems = problems(&mistakes());
    let without: Vec<&Json> = problems.iter().filter(|p| p["hint"].is_null()).collect();
    assert!(without.len() <= 1, "{without:#?}");
    let fixes = problems.iter().filter(|p| !p["fix"].is_null()).count();
    assert!(fixes >= 4, "{fixes} can be mended by a machine");
}

#[test]
fn titles_are_short_and_overloads_are_folded() {
    let (status, out, errors) = run(&[
        "check",
        "--color",
        "never",
        &mistakes().display().to_string(),
    ]);
    assert_eq!(status, 1);
    assert!(errors.ends_with("problems found\n"), "{errors}");
    assert!(out.contains("no overload of `add` takes (Optional[int], int)"));
    assert!(out.contains("... and 17 others"));
    assert!(!out.contains("Python compilation unit at"));
    assert!(out.lines().count() < 500);
}

#[test]
fn imports_are_followed_into_the_files_around() {
    let folder = Folder::new("imports");
    std::fs::create_dir_all(folder.at("net/sub")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.at(name), text).unwrap();
    write("net/__init__.py", "from .kinds import Box, scale\n");
    write(
        "net/kinds.py",
        "\
from typing import List, NamedTuple
import torch
from torch import Tensor
from .consts import EPS
from . import model

class Box(NamedTuple):
    lo: Tensor
    hi: Tensor

Pair = List[Tensor]

class Counter(object):
    def __init__(self, n: int):
        self.n = n

    def step(self) -> int:
        self.n += 1
        return self.n

def scale(x: Tensor, by: float) -> Tensor:
    return x * by + EPS

def broken(x: Tensor) -> Tensor:
    return x + nothing

def unused(*args, **more):
    yield args
",
    );
    write("net/consts.py", "EPS = 1e-5\n");
    write(
        "net/sub/base.py",
        "\
import torch
from torch import nn

class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.depth = 3

    def pre(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.depth
",
    );
    write(
        "net/model.py",
        "\
import torch
from torch import Tensor
from .kinds import Box, Counter, Pair, broken, scale
from .sub.base import Base
from .sub import base as below
from . import kinds as k
from .nowhere import thing

class Net(Base):
    def __init__(self):
        super().__init__()
        self.inner = below.Base()

    def forward(self, x: Tensor, b: Box, p: Pair) -> Tensor:
        x = self.pre(x) + self.inner.pre(x) * Counter(self.depth).step()
        y = thing(x)
        x = scale(x, 2.0) + p[0]
        z = k.scale(x, 'two')
        return broken(x) + Box(x, b.lo).mid
",
    );
    let (status, out) = told(&["check", "--color", "never", &folder.at("net/model.py")]);
    assert_eq!(status, 1, "{out}");
    let places: Vec<&str> = out.lines().filter(|line| line.contains("--> ")).collect();
    assert_eq!(places.len(), 3, "{out}");
    assert!(places[0].ends_with("model.py:18:13"), "{out}");
    assert!(places[1].ends_with("model.py:19:28"), "{out}");
    assert!(places[2].ends_with("kinds.py:25:16"), "{out}");
    let found = problems(Path::new(&folder.at("net/model.py")));
    assert!(found[0]["file"].is_null(), "{found:#?}");
    assert!(found[2]["file"].as_str().unwrap().ends_with("kinds.py"));
}

#[test]
fn only_what_a_file_scripts_is_checked_where_it_scripts_something() {
    let folder = Folder::new("scripted");
    let text = "\
import torch
from torch import nn

def needed(x: int):
    return x + nothing

def plain(items):
    return {item for item in items}

@torch.jit.script
def scripted(x: int):
    return needed(x)

class Net(nn.Module):
    def forward(self, x):
        try:
            return x
        except ValueError:
            return None

if __name__ == '__main__':
    for i in range(3):
        print(scripted(i))
";
    let path = folder.write("net.py", text);
    let lines: Vec<u64> = problems(Path::new(&path))
        .iter()
        .map(|p| p["place"]["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [5, 16]);
    // Folders stand for the files below them.
    let (status, out, errors) = run(&["check", &folder.at("")]);
    assert_eq!(
        (status, errors.as_str()),
        (1, "2 problems found\n"),
        "{out}"
    );
}

#[test]
fn a_file_without_problems_says_what_it_has() {
    let folder = Folder::new("fine");
    let text = "import torch\ndef f(x: int) -> int:\n    return x\n\nclass Net(torch.nn.Module):\n    pass\n";
    let path = folder.write("fine.py", text);
    let (status, out, errors) = run(&["check", &path]);
    assert_eq!((status, errors.as_str()), (0, ""));
    let said = "fine.py: 1 function and 1 module compiled\n";
    assert!(out.ends_with(said), "{out}");
}

/// What lies around scripts in a file: `check` leaves it alone and says so.
const PROGRAM: &str = "import argparse
import torch
from torch.utils.data import Dataset

class Pictures(Dataset):
    def __init__(self, root):
        self.root = root

class Net(torch.nn.Module):
    pass

class Trainer:
    def __init__(self, model, rate):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=rate)

def log(f):
    def inner(*args):
        return f(*args)
    return inner

@log
def scaled(x: torch.Tensor, by: float):
    return x * by

def train(model, batches):
    for x, y in batches:
        torch.nn.functional.mse_loss(model(x), y).backward()

def main():
    options = argparse.ArgumentParser().parse_args()
    train(Net(), Pictures(options.root))

if __name__ == '__main__':
    main()
";

#[test]
fn the_program_around_scripts_is_left_alone() {
    let folder = Folder::new("program");
    let file = folder.write("program.py", PROGRAM);
    let (status, out, err) = run(&["check", &file]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    for told in [
        "1 function and 1 module compiled",
        "log (is a decorator)",
        "train (calls its argument model)",
        "main (reads the command line)",
        "Pictures (inherits from torch.utils.data.Dataset)",
        "Trainer (trains)",
    ] {
        assert!(out.contains(told), "{told}: {out}");
    }
    // What is scripted by name is all that counts.
    let file = folder.write(
        "one.py",
        format!("{PROGRAM}\ndef other(x: int):\n    return x + missing\n\nclass Odd:\n    def __init__(self):\n        self.a = missing\n\ntorch.jit.script(scaled)\n"),
    );
    let (status, out, _) = run(&["check", &file]);
    assert_eq!(status, 0, "{out}");
    assert!(
        out.contains("not scripted by the file, left out: log, train, main, other"),
        "{out}"
    );
}

#[test]
fn a_dataclass_has_the_methods_that_python_makes() {
    let folder = Folder::new("dataclass");
    let text = "from dataclasses import dataclass, field
from typing import ClassVar, List, Optional

@dataclass
class Point:
    kind: ClassVar[int] = 3
    x: int
    y: float = 0.5
    label: Optional[str] = None

    def total(self) -> float:
        return self.x + self.y

@dataclass(eq=False)
class Path:
    points: List[int]
    scale: int = field(default=3)

    def __post_init__(self):
        self.scale = self.scale + len(self.points)

def f(a: int):
    p = Point(a, y=2.5)
    return p.total(), Path([1, 2]).scale, p == Point(a, 2.5), p == Point(a), p == Point(a, 2.5, 'x')
";
    let file = folder.write("points.py", text);
    let (_, out, err) = run(&["run", &format!("{file}:f"), "3"]);
    assert_eq!(
        (out.as_str(), err.as_str()),
        ("(5.5, 5, True, False, False)\n", "")
    );
    let (status, out, _) = run(&["check", &file]);
    assert!(
        status == 0 && out.ends_with("1 function and 2 classes compiled\n"),
        "{out}"
    );
    let other = text.replace("field(default=3)", "field(default_factory=int)");
    assert_eq!(
        problems(Path::new(&folder.write("other.py", other))).len(),
        1
    );
}

/// Modules, of which a file shows what it shows.
const MODULES: &str = "import copy
import torch
from torch import nn
from typing import Optional

class Config:
    def __init__(self, **options):
        self.options = options

class Block(nn.Module):
    scale = 2

    def __init__(self, width, hidden: int, rate: float = 0.1, act=None, bias: bool = True):
        super().__init__()
        self.conv = nn.Conv2d(width, hidden, 3)
        self.act = nn.ReLU() if act is None else act
        self.rate = rate
        self.hidden = hidden * 2
        self.names = ['a', 'b']
        self.weight = nn.Parameter(torch.ones(width))
        self.register_buffer('seen', torch.zeros(1))
        self.net = nn.Sequential(nn.Linear(width, hidden), nn.Tanh())
        if bias:
            self.bias = nn.Parameter(torch.zeros(width))
        else:
            self.bias = None

    def build(self):
        self.built = 1

    def forward(self, x, by: Optional[float] = None):
        y = self.act(self.conv(x)) + self.bias + self.built
        y = self.net[0](y) + self.conv.weight + self.seen * self.scale
        z = self.net(x) * self.weight + self.hidden
        return z.reluu(), self.names[0] + 1

class Net(nn.Module):
    def __init__(self, config: Config, depth=2):
        super().__init__()
        self.blocks = nn.ModuleList([Block(config.width, 4) for _ in range(depth)])
        self.copies = nn.ModuleList([copy.deepcopy(self.blocks[0])])
        self.cell = nn.LSTM(4, 4)

    def features(self, x) -> torch.Tensor:
        for block in self.blocks:
            x, _ = block(x)
        for other in self.copies:
            x = other(x).whatever
        return x

    def forward(self, x):
        y, (h, c) = self.cell(self.features(x))
        z = self.heads(y)
        return h.sum(c)

    def describe(self, *args, **kwargs):
        return f'{self.__class__}'
";

#[test]
fn modules_are_checked_as_far_as_the_file_shows() {
    let folder = Folder::new("modules");
    let file = folder.write("net.py", MODULES);
    let told = problems(Path::new(&file));
    let lines: Vec<(u64, &str)> = told
        .iter()
        .map(|p| {
            (
                p["place"]["line"].as_u64().unwrap(),
                p["message"].as_str().unwrap(),
            )
        })
        .collect();
    let wanted = [(35, "reluu"), (35, "add"), (53, "heads"), (54, "sum")];
    assert_eq!(lines.len(), wanted.len(), "{lines:#?}");
    for ((line, message), (at, word)) in lines.iter().zip(wanted) {
        assert!(*line == at && message.contains(word), "{lines:#?}");
    }
    // Where a file scripts something else, they are none of it.
    let other = format!("{MODULES}\n@torch.jit.script\ndef f(x: int):\n    return x\n");
    let file = folder.write("other.py", other);
    let (status, out, _) = run(&["check", &file]);
    assert!(status == 0 && out.contains("left out: Block, Net"), "{out}");
    let one = format!("{MODULES}\nscripted = torch.jit.script(Block(3, 4))\n");
    assert_eq!(problems(Path::new(&folder.write("one.py", one))).len(), 2);
}

#[test]
fn the_code_of_an_archive_is_checked_as_one() {
    let folder = Folder::new("listing");
    let digits = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits/digits.pt");
    let (model, file) = (digits.display().to_string(), folder.at("digits.py"));
    assert_eq!(run(&["convert", &model, "-o", &file]).0, 0);
    let (status, out, err) = run(&["check", &file]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("7 functions and 14 classes compiled"), "{out}");
    let text = std::fs::read_to_string(&file).unwrap();
    let broken = text.replacen("torch.softmax(", "torch.softmaxx(", 1);
    let broken = broken.replacen("return classes[", "return clases[", 1);
    let told = problems(Path::new(&folder.write("broken.py", broken)));
    assert_eq!(told.len(), 2, "{told:#?}");
    let (_, code, _) = run(&["code", &model]);
    assert_eq!(run(&["check", &folder.write("code.py", code)]).0, 0);
}

#[test]
fn a_function_runs_beside_others_that_cannot() {
    let folder = Folder::new("beside");
    let file = folder.write(
        "two.py",
        "def good(x: int):\n    return x + 1\n\ndef bad(x: int):\n    return missing\n\nclass Odd:\n    def __init__(self):\n        self.a = missing\n",
    );
    assert_eq!(run(&["run", &format!("{file}:good"), "3"]).1, "4\n");
    let (status, _, err) = run(&["run", &format!("{file}:bad"), "3"]);
    assert!(
        status == 1 && err.contains("undefined value missing"),
        "{err}"
    );
}
