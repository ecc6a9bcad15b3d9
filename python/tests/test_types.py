"""Checkers understand programs that use the package: mypy finds nothing in a right one and the mistakes in a wrong one."""

import ast
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

import rushlight

RIGHT = '''
from typing import List, Optional, Tuple

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import Tensor, nn


class Model(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 2))
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer("steps", torch.zeros(1))

    def forward(self, x: Tensor, bias: Optional[Tensor] = None) -> Tensor:
        out: Tensor = self.body(x) * self.scale
        if bias is not None:
            out = out + bias
        return F.softmax(out, dim=-1)


@torch.jit.script
def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def train(model: nn.Module, batches: List[Tuple[Tensor, Tensor]]) -> float:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = torch.zeros(())
    for x, y in batches:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return float(loss)


def main() -> None:
    torch.manual_seed(0)
    model = Model(8)
    x = torch.rand(3, 4, dtype=torch.float32)
    print(train(model, [(x, torch.rand(3, 2))]))
    scripted = torch.jit.script(model)
    scripted.save("model.pt")
    loaded = torch.jit.load("model.pt", map_location=torch.device("cpu"))
    with torch.no_grad():
        answer: Tensor = loaded(x)
    rows, columns = answer.shape
    print(rows * columns, answer.size(0), fibonacci(10), scripted.graph, scripted.code)
    kind: torch.dtype = answer.dtype
    print(kind == torch.float32, fibonacci.schema)


if __name__ == "__main__":
    main()
'''

WRONG = """
import rushlight as torch
from rushlight import nn


def doubled(x: torch.Tensor) -> int:
    return x + x


@torch.jit.script
def count(n: int) -> int:
    return n


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 3


count("many")
torch.jit.load(3)
torch.jit.script(Model()).nothing()
"""


@unittest.skipIf(importlib.util.find_spec("mypy") is None, "not installed: pip install mypy")
class Types(unittest.TestCase):
    def check(self, source):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.py")
            program.write_text(textwrap.dedent(source))
            command = [sys.executable, "-m", "mypy", "--cache-dir", folder, "--no-error-summary", program.name]
            return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout.splitlines()

    def test_a_right_program_passes(self):
        self.assertEqual(self.check(RIGHT), [])

    def test_the_same_program_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.py")
            program.write_text(RIGHT)
            done = subprocess.run([sys.executable, "-W", "ignore", program.name], cwd=folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_mistakes_are_found(self):
        found = [line.rsplit("[", 1)[-1].rstrip("]") for line in self.check(WRONG)]
        self.assertEqual(found, ["return-value", "return-value", "arg-type", "arg-type"])

    def test_what_the_stubs_name_is_there(self):
        package = pathlib.Path(rushlight.__file__).parent
        for module, stub in ((rushlight, "__init__.pyi"), (rushlight.nn, "nn/__init__.pyi"), (rushlight.jit, "jit/__init__.pyi")):
            for node in ast.parse((package / stub).read_text()).body:
                names = [node.name] if isinstance(node, (ast.ClassDef, ast.FunctionDef)) else []
                if isinstance(node, ast.AnnAssign):
                    names = [node.target.id]
                for name in names:
                    if not name.startswith("_") or name == "__version__":
                        self.assertTrue(hasattr(module, name), f"{stub}: {name}")
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    for member in node.body:
                        if isinstance(member, ast.FunctionDef) and not member.name.startswith("__"):
                            self.assertTrue(hasattr(getattr(module, node.name), member.name), f"{stub}: {node.name}.{member.name}")


if __name__ == "__main__":
    unittest.main()
