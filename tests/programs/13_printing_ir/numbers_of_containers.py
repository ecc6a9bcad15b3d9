"""Values of graphs that go over module lists and dictionaries have PyTorch's numbers."""

import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")


class Add(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


class Base(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.table = nn.ModuleDict({c: Add() for c in "abcd"[:n]})
        self.row = nn.ModuleList([Add() for _ in range(n)])
        self.chain = nn.Sequential(*[Add() for _ in range(n)])


class ByKey(Base):
    def forward(self, x):
        return self.table["a"](x) * 7


class ByPlace(Base):
    def forward(self, x):
        return self.row[0](x) * self.chain[-1](x) * 7


class Loops(Base):
    def forward(self, x):
        for part in self.row:
            x = part(x) * 3
        for i, part in enumerate(self.chain):
            x = part(x) + i
        for i, part in enumerate(self.chain, 1):
            x = part(x) + i
        return x * 7


class Tables(Base):
    def forward(self, x):
        for key, part in self.table.items():
            x = part(x) * len(key)
        for part in self.table.values():
            x = part(x) * 5
        for key in self.table:
            x = x + len(key)
        for i, (key, part) in enumerate(self.table.items()):
            x = part(x) + i
        return x * 7


class Together(Base):
    def forward(self, x):
        for a, b in zip(self.row, self.chain):
            x = a(x) + b(x)
        y = [part(x) for part in self.row]
        return y[0] * 7


class Slices(Base):
    def forward(self, x):
        for part in self.row[1:]:
            x = part.forward(x) * 3
        for other in self.chain[:2]:
            x = other.forward(x) * 9
        for i, more in enumerate(self.row[:-1]):
            x = more.forward(x) + i
        return x * 7


for kind in (ByKey, ByPlace, Loops, Tables, Together, Slices):
    for n in (1, 2, 3):
        if kind is Slices and n == 1:
            continue
        scripted = torch.jit.script(kind(n))
        print(kind.__name__, n, scripted.graph, scripted(torch.ones(1)))
