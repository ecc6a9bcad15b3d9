"""A part of a list that is taken as an interface is taken by its place, also where that is a literal; parts of dicts by name."""

import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")


@torch.jit.interface
class Stage(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass


class Add(nn.Module):
    def __init__(self, n: float):
        super().__init__()
        self.n = n

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.n


class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.row = nn.ModuleList([Add(1.0), Add(2.0)])
        self.table = nn.ModuleDict({"a": Add(3.0)})

    def forward(self, x: torch.Tensor, i: int) -> torch.Tensor:
        first: Stage = self.row[0]
        chosen: Stage = self.row[i]
        named = self.table["a"]
        return first.forward(x) + 100 * chosen.forward(x) + 1000 * named.forward(x)


scripted = torch.jit.script(Parts())
print(scripted.graph)
print(scripted.code)
print(scripted(torch.zeros(1), 0), scripted(torch.zeros(1), 1))
