"""What is four times as large takes about four times as long: no part of compiling, saving or looking goes through everything for each thing."""

import importlib.util
import io
import itertools
import sys
import tempfile
import time
import unittest
from pathlib import Path

import rushlight as torch

# Four times as much takes sixteen times as long where something goes through everything for each thing.
MOST = 10


FOLDER = tempfile.TemporaryDirectory()
COUNT = itertools.count()


def function(lines):
    """A script of many lines, from a file."""
    path = Path(FOLDER.name) / f"many_lines_{next(COUNT)}.py"
    path.write_text(lines)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module.f


HEAD = "from rushlight import Tensor\ndef f(x: Tensor, k: int):\n"

SOURCES = {
    "literals": lambda n: HEAD + "".join(f"    x = x * {i} + k\n" for i in range(n)) + "    return x\n",
    "exits": lambda n: HEAD
    + "".join(f"    for i{i} in range(k):\n        if i{i} == 3:\n            break\n        x = x + {i}\n" for i in range(n // 4))
    + "    return x\n",
    "a long line": lambda n: HEAD + "    a = [" + ", ".join(str(i) for i in range(4 * n)) + "]\n    return x + a[k]\n",
    "texts": lambda n: HEAD + "    s = ''\n" + "".join(f"    s = s + 'text {i}'\n" for i in range(n)) + "    return x + len(s)\n",
    "parts": lambda n: HEAD + "".join(f"    y{i} = x[{i}:]\n    y{i}.add_(k)\n" for i in range(n // 2)) + "    return x\n",
}


def saved(module):
    file = io.BytesIO()
    torch.jit.save(module, file)
    return file.getvalue()


def scripted(source):
    """Times of what happens to a module whose method has many lines."""
    compiled = function(source)

    class Many(torch.nn.Module):
        def forward(self, x: torch.Tensor, k: int):
            return compiled(x, k)

    module = yield "compile", lambda: torch.jit.script(Many().eval())
    yield "print", lambda: (str(module.inlined_graph), module.code)
    yield "names", lambda: [v.debugName() for n in module.inlined_graph.nodes() for v in n.outputs()]
    data = yield "save", lambda: saved(module)
    yield "load", lambda: torch.jit.load(io.BytesIO(data))
    yield "freeze", lambda: torch.jit.freeze(module)


def nested(parts):
    """Times of what happens to a module of many parts."""
    layers = [torch.nn.Linear(2, 2) if i % 2 else torch.nn.ReLU() for i in range(parts)]
    plain, x = torch.nn.Sequential(*layers).eval(), torch.ones(1, 2)
    yield "trace", lambda: torch.jit.trace(plain, x)
    module = yield "compile", lambda: torch.jit.script(plain)
    yield "print", lambda: str(module)
    yield "names", lambda: (list(module.named_modules()), list(module.named_parameters()))
    state = yield "state", lambda: module.state_dict()
    yield "take", lambda: module.load_state_dict(state)
    yield "freeze", lambda: torch.jit.freeze(module)


def times(steps):
    """The processor's time for each step, which gets what it gave."""
    found, result = {}, None
    try:
        while True:
            name, step = steps.send(result)
            start = time.process_time()
            result = step()
            found[name] = time.process_time() - start
    except StopIteration:
        return found


class Scale(unittest.TestCase):
    def check(self, steps, size):
        times(steps(size))
        # A machine with other work to do may be slow for a moment, but not three times at the same step.
        slow = None
        for _ in range(3):
            few, many = times(steps(size)), times(steps(4 * size))
            # What takes no time has none to compare.
            now = {step: (few[step], time_of_many) for step, time_of_many in many.items() if time_of_many > MOST * max(few[step], 0.01)}
            slow = now if slow is None else {step: now[step] for step in slow if step in now}
            if not slow:
                return
        self.fail("; ".join(f"{step}: {few:.3f} s, and for four times as much {many:.3f} s" for step, (few, many) in slow.items()))

    def test_lines(self):
        for name, source in SOURCES.items():
            with self.subTest(name):
                self.check(lambda n, source=source: scripted(source(n)), 400)

    def test_parts(self):
        self.check(nested, 200)


if __name__ == "__main__":
    unittest.main()
