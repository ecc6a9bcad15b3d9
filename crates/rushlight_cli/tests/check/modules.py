import torch
import torch.nn as nn
from collections import OrderedDict
from typing import Dict, List
from torch import Tensor

class Lists(nn.Module):
    def __init__(self, n: int = 3):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])
        self.heads = nn.ModuleList([nn.Linear(2, 2) for _ in range(n)])
        self.convs = nn.ModuleList()
        for i in range(n):
            self.convs.append(nn.Conv1d(2, 2, 1))
        self.grown = nn.ModuleList([nn.Linear(4, 4)])
        self.grown.append(nn.Linear(4, 4))

    def forward(self, x, i: int, xs: List[Tensor]):
        y = self.layers[i](x)  # problem
        for j in range(len(self.convs)):
            y = self.convs[j](x)  # problem
        for head, t in zip(self.heads, xs):  # problem
            y = x + head(t)
        for k, head in enumerate(self.heads):
            x = x + head(xs[k])
        for layer in self.layers:
            x = layer(x)
        x = self.grown[1](x)
        y = self.layers[2](x)  # problem
        return self.layers[-1](x, 1)  # problem

class Sequences(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.named = nn.Sequential(OrderedDict([("fc", nn.Linear(4, 4))]))
        self.many = nn.Sequential(*[nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x):
        y = self.body.foward(x)  # problem
        y = self.body[5](x)  # problem
        z = self.named.fc(self.named(x)) + self.named[0].weight
        y = self.many[7](x).reluu()  # problem
        return self.body(x, 3)  # problem

class Dicts(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleDict({"enc": nn.Linear(2, 2), "dec": nn.Conv1d(1, 1, 1)})

    def forward(self, x, k: str):
        for name, block in self.blocks.items():
            if name == k:
                x = block(x)
        for name in self.blocks:
            y = self.blocks[name](x)  # problem
        y = self.blocks[k](x)  # problem
        return self.blocks["encc"](self.blocks["enc"](x))  # problem

class Empty(nn.Module):
    known: List[int]

    def __init__(self):
        super().__init__()
        self.hist = []
        self.table = {}
        self.known = []
        self.filled = []
        for i in range(3):
            self.filled.append(i)

    def forward(self, x: Tensor):
        self.hist.append(x)  # problem
        self.known.append(self.filled[0])
        print(self.hist)
        return self.table["a"]  # problem

class Unbegun(nn.Module):
    def __init__(self):  # problem
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        return self.fc(x)

class Wrong(nn.Module):
    def __init__(self, n: int, *, wide: bool):
        super().__init__()
        self.fc = nn.Liner(2, 2)  # problem
        self.act = nn.ReLu()  # problem
        self.conv = nn.Conv2d(1, 2, kernal_size=3)  # problem
        self.norm = nn.BatchNorm2d()  # problem
        self.drop = nn.Dropout(0.1, True, 3)  # problem
        self.out = nn.Linear(n, hiden)  # problem
        self.twice = nn.Linear(2, 3, in_features=4)  # problem
        self.names = [name for name in dir(self) if (found := len(name)) > found]
        self.made = sorted(map(lambda p: p + LATER, range(n)))
        parts = [2, 3]
        self.more = nn.Linear(*parts, **{})

    def forward(self, x):
        return self.act(self.fc(x))

class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Wrong(2, wyde=True)  # problem
        self.other = Wrong(2)  # problem

    def forwrad(self, x):  # problem
        return x

LATER = 3

def twice(a: int, a: int):  # problem
    return a
