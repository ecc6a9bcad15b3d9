"""Numbers of values in graphs of modules with containers of parameters; lengths of slices; operators that are listed."""
import re
import torch
from torch import nn
from typing import Dict, List


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = nn.ParameterDict({name: nn.Parameter(torch.ones(1)) for name in ("g", "h", "i")})
        self.l = nn.ParameterList([nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))])
        self.m = nn.ModuleList([nn.ReLU(), nn.Tanh()])


class OfDict(Base):
    def forward(self, x):
        return x + self.d["h"] + 1.5


class OfList(Base):
    def forward(self, x):
        return x + self.l[1] + 1.5


class Loop(Base):
    def forward(self, x):
        for a in self.l:
            x = x + a
        return x + 1.5


class Twice(Base):
    def forward(self, x):
        a = self.d["g"]
        b = self.d["g"]
        return x + a * b + 1.5


class Together(Base):
    def forward(self, x):
        for m, p in zip(self.m, self.l):
            x = m(x) + p
        return x + 1.5


for cls in (OfDict, OfList, Loop, Twice, Together):
    print(re.sub(" #.*", "", str(torch.jit.script(cls()).graph)))


class Length(Base):
    def forward(self, x):
        return x + len(self.m[1:])


print(torch.jit.script(Length()).code, torch.jit.script(Length())(torch.zeros(1)))


class Listed(nn.Module):
    table: Dict[str, List[int]]

    def __init__(self):
        super().__init__()
        self.table = {"a": [1]}

    def forward(self, x, key: str, n: int):
        if key not in self.table or x.dim() == 1:
            return x + len(self.table["a"])
        return x * min(n, 2) + abs(n)


print(torch.jit.export_opnames(torch.jit.script(Listed())))
