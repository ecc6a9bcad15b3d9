"""Tensors that are given twice and modules with two names: what numbers and names the values of the trace have."""
import re

import torch
from torch import nn

L = lambda: nn.Linear(2, 2)
x = torch.arange(4.0).view(2, 2)


def show(what, f, *inputs):
    torch.manual_seed(0)
    t = torch.jit.trace(f, inputs)
    print(what, re.sub(r" # .*", "", str(t.graph)))
    return t


class Shared(nn.Module):
    def __init__(self, make):
        super().__init__()
        self.first = make()
        self.second = self.first

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = L(), L()
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(x))


class Lists(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList([nn.Sequential(L(), nn.ReLU()) for _ in range(2)])
        self.named = nn.ModuleDict({"q": nn.ModuleList([nn.Sequential(nn.Sequential(L())), L()])})

    def forward(self, x):
        for step in self.steps:
            x = step(x)
        for step in self.named["q"]:
            x = step(x)
        return x


# Inputs.
show("twice", lambda a, b: a + b, x, x)
show("of three", lambda a, b, c: a + b * c, x[0, 0], x, x)
show("in a tuple", lambda a, b: a[0] + b, (x,), x)
show("in a list", lambda a: a[0] + a[1], [x, x])
show("in a dictionary", lambda a, b: a + b["k"], x, {"k": x})
show("a view is another tensor", lambda a, b: a + b, x, x.view(2, 2))
show("attention", lambda q, k, v: torch.softmax(q @ k.t(), -1) @ v, x, x, x)

# Modules and parameters.
for make in (nn.ReLU, L, lambda: nn.Sequential(L()), lambda: nn.BatchNorm1d(2)):
    t = show("shared", Shared(make).eval(), x)
    print(t.code)
show("tied", Tied(), x)

# Names in modules of modules.
show("sequences", nn.Sequential(nn.Sequential(L(), nn.ReLU()), L()), x)
show("deeper", nn.Sequential(L(), nn.Sequential(L(), nn.ReLU()), nn.Sequential(nn.Sequential(L()))), x)
t = show("lists", Lists(), x)
print(re.sub(r" # .*", "", str(t.inlined_graph)))
print(t.code)
