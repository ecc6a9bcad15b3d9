# Numbers of values where some paths return a parameter without annotation, and where modules are asked for attributes.
import re

import torch
import torch.nn as nn
from torch import Tensor


def annotated(x: Tensor, b: bool):
    if b:
        return x
    return x + 1


def first(x, b: bool):
    if b:
        return x
    return x + 1


def last(x, b: bool):
    if b:
        return x + 1
    return x


def both(x, y, b: bool):
    if b:
        return x
    return y


def thrice(x, b: bool):
    if b:
        return x
    y = x.relu()
    if y.dim() == 2:
        return x
    return y


def declared(x, b: bool) -> Tensor:
    if b:
        return x
    return x.relu()


def pairs(x, b: bool):
    if b:
        return x, 1
    return x, 2


class Asked(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = 3
        self.inner = nn.ReLU()

    def forward(self, x):
        if hasattr(self, "a"):
            x = x + 1
        if hasattr(self, "inner"):
            x = x + 2
        if hasattr(self, "b"):
            x = x + 3
        if hasattr(self, "forward"):
            x = x + 4
        return x + 5


class Trains(nn.Module):
    def forward(self, x):
        if self.training:
            return x
        return x + 1


for function in (annotated, first, last, both, thrice, declared, pairs):
    print(re.sub(" #.*", "", torch.jit.script(function).graph.str()))
for module in (Asked(), Trains()):
    print(re.sub(" #.*", "", torch.jit.script(module).graph.str()))
