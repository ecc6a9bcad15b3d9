# slice objects as indices, written in place or held by a variable
from typing import List

import torch


@torch.jit.script
def f(xs: List[int], s: str):
    middle = slice(1, 3)
    return xs[slice(2)], xs[middle], s[slice(0, 4, 2)], s[middle]


print(f([1, 2, 3, 4], "abcdef"))


@torch.jit.script
def g(x):
    return x[slice(1, 3), 0], x[slice(None, None, 2)]


print(g(torch.arange(8).view(4, 2)))
