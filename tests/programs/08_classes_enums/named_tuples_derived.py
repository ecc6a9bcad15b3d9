"""Classes derived from NamedTuples have their fields; `strict_fusion` is a context of scripts."""
from typing import NamedTuple

import torch


class Pair(NamedTuple):
    count: int
    values: torch.Tensor


class Counted(Pair):
    def twice(self):
        return self.count * 2


def first(pair: Counted):
    return pair.count


def base(pair: Pair):
    return pair.values


def made(x: torch.Tensor):
    return Counted(1, x)


def fused(x):
    with torch.jit.strict_fusion():
        y = x * 2 + 1
    return y


print(torch.jit.script(first)(Counted(3, torch.ones(1))), torch.jit.script(base)(Counted(3, torch.ones(1))))
result = torch.jit.script(made)(torch.ones(2))
print(result, type(result).__name__, torch.jit.script(made).graph)
script = torch.jit.script(fused)
print(script.graph, script.code, script(torch.ones(2)))
