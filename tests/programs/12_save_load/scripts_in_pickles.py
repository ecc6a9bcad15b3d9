# Python's pickle and torch.save refuse scripts, each kind in its words; copies of modules are made
import copy
import io
import pickle

import torch
from torch import nn


def attempt(name, function):
    try:
        print(name, "->", type(function()).__name__)
    except Exception as error:
        print(name, "->", type(error).__name__, str(error).splitlines()[0])


def twice(x: int = 3) -> int:
    return x * 2


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)

    def forward(self, x):
        return self.inner(x)


class Holder(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.part = part


module = torch.jit.script(Outer())
scripts = {
    "module": module,
    "part": module.inner,
    "traced": torch.jit.trace(nn.Tanh(), torch.ones(2)),
    "function": torch.jit.script(twice),
    "traced function": torch.jit.trace(lambda x: x + 1, torch.ones(2)),
    "method": module.forward,
    "unit": torch.jit.CompilationUnit("def one() -> int:\n    return 1\n"),
}
for name, script in scripts.items():
    attempt(f"pickle {name}", lambda: pickle.dumps(script))
for name in ("module", "function"):
    attempt(f"save {name}", lambda: torch.save(scripts[name], io.BytesIO()))
    attempt(f"save a list of {name}", lambda: torch.save([scripts[name]], io.BytesIO()))
    attempt(f"save a holder of {name}", lambda: torch.save(Holder(scripts[name]), io.BytesIO()))
for name in ("module", "part", "function"):
    attempt(f"deepcopy {name}", lambda: copy.deepcopy(scripts[name]))
    attempt(f"copy {name}", lambda: copy.copy(scripts[name]))
print(copy.deepcopy(Holder(module)).part.inner.weight.shape)
