# A method is defined once: by define() on modules of all kinds, and by a trace beside exported methods that call it.
import io
import re

import torch
from torch import nn


def told(name, f):
    try:
        f()
        print(name, "ok")
    except Exception as error:
        text = re.sub(r"0x[0-9a-f]+", "0x", re.sub(r"___torch_mangle_\d+\.", "", str(error)))
        print(name, type(error).__name__, text)


class Plus(nn.Module):
    def forward(self, x):
        return x + 1

    @torch.jit.export
    def other(self, x):
        return x


scripted = torch.jit.script(Plus())
told("forward", lambda: scripted.define("def forward(self, x):\n    return x\n"))
told("other", lambda: scripted.define("def other(self, x):\n    return x\n"))
told("new", lambda: scripted.define("def new(self, x):\n    return x * 2\n"))
told("new again", lambda: scripted.define("def new(self, x):\n    return x * 3\n"))
print(scripted.new(torch.ones(1)).tolist(), scripted(torch.ones(1)).tolist())
shared = torch.jit.script(Plus())
told("same type", lambda: shared.define("def new(self, x):\n    return x\n"))

buffer = io.BytesIO()
torch.jit.save(scripted, buffer)
buffer.seek(0)
loaded = torch.jit.load(buffer)
told("loaded", lambda: loaded.define("def forward(self, x):\n    return x\n"))
told("loaded new", lambda: loaded.define("def newer(self, x):\n    return x\n"))
told("loaded newer again", lambda: loaded.define("def newer(self, x):\n    return x\n"))


class Old(torch.jit.ScriptModule):
    def __init__(self):
        super().__init__()
        self.define("def a(self, x):\n    return x\n")
        self.define("def a(self, x):\n    return x + 1\n")

    @torch.jit.script_method
    def forward(self, x):
        return self.a(x)


old = Old()
told("old a", lambda: old.define("def a(self, x):\n    return x\n"))
told("old b", lambda: old.define("def b(self, x):\n    return x\n"))
told("old b again", lambda: old.define("def b(self, x):\n    return x\n"))

unit = torch.jit.CompilationUnit("def f(x):\n    return x\n")
told("unit", lambda: unit.define("def f(x):\n    return x\n"))
told("unit twice", lambda: unit.define("def g(x):\n    return x\ndef g(x):\n    return x\n"))


class CallsForward(nn.Module):
    def forward(self, x):
        return x + 1

    @torch.jit.export
    def other(self, x):
        return self.forward(x)


class CallsItself(nn.Module):
    def forward(self, x):
        return x + 1

    @torch.jit.export
    def other(self, x):
        return self.third(x)

    def third(self, x):
        return self(x)


class Apart(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = CallsForward()

    def forward(self, x):
        return self.inner(x)

    @torch.jit.export
    def other(self, x):
        return x * 2


x = torch.ones(2)
told("traced", lambda: torch.jit.trace(CallsForward(), x))
told("traced again", lambda: torch.jit.trace(CallsForward(), x))
told("through a third", lambda: torch.jit.trace(CallsItself(), x))
told("inside", lambda: torch.jit.trace(Apart(), x))
told("methods", lambda: torch.jit.trace_module(Apart(), {"forward": x, "other": x}))
told("third", lambda: torch.jit.trace_module(CallsItself(), {"third": x}))

for text in (
    "def f(x):\n    return x\n  return x\n",
    "def f(x):\n    if x:\n  return x\n",
    "def f(x):\n        return x\n    return x\n",
    "def f(x):\n    return x\n\ndef g(x):\n return x\n  return x\n",
    "def f(x):\n    return (x\n",
    "def f(x):\n    return {1: 2\n",
    "def f(x):\n    y = [1, 2\n    return x\n",
    "def f(x, /):\n    return x\n",
):
    told(repr(text), lambda: torch.jit.CompilationUnit(text))


class Lone(nn.Module):
    def forward(self, x):
        return x


lone = torch.jit.script(Lone())
told("twice in one", lambda: lone.define("def two(self, x):\n    return x\ndef two(self, x):\n    return x\n"))
