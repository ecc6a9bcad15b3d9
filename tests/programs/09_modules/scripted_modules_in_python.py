# What Python sees of a scripted module: properties, statics, names, what may be replaced, added and removed
import torch
from torch import nn


def attempt(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, str(error).split(" (of")[0][:120])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.w = nn.Parameter(torch.ones(1))
        self.register_buffer("buf", torch.zeros(1))
        self.n = 3
        self.parts = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})

    @property
    def twice(self):
        return self.n * 2

    @torch.jit.export
    def shift(self, a: int) -> int:
        return a + self.n

    @torch.jit.ignore
    def ignored(self):
        return "ignored"

    @torch.jit.unused
    def unused(self):
        return "unused"

    @staticmethod
    def static(a):
        return a

    def forward(self, x):
        return x * self.twice


s = torch.jit.script(Net())
print(type(s.twice), s.n, s(torch.ones(1)), s.shift(1), s.ignored(), s.unused())
attempt("static", lambda: s.static(1))
attempt("copy", lambda: s.copy())
names = ("fc", "w", "buf", "n", "twice", "shift", "ignored", "unused", "static", "forward", "training", "copy", "save")
print([name for name in names if name in dir(s)])
for name in ("w", "buf", "fc", "nope"):
    attempt("delete " + name, lambda: delattr(s, name))
attempt("parameter", lambda: setattr(s, "p", nn.Parameter(torch.ones(1))))
attempt("module", lambda: setattr(s, "m", nn.ReLU()))
attempt("tensor", lambda: setattr(s, "t", torch.ones(1)))
attempt("keys", lambda: s.parts.keys())
attempt("items", lambda: s.parts.items())
print(list(s.parts), len(s.parts), "a" in s.parts, s.parts["a"])
replica = s._replicate_for_data_parallel()
print(type(replica).__name__, replica(torch.ones(1)))
for kind in (list, dict, tuple):
    attempt(kind.__name__, lambda: torch.jit.isinstance([1], kind))
