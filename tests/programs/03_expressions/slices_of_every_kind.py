# slices with steps, negative bounds and bounds outside, on strings, lists and tuples
from typing import List

import torch


@torch.jit.script
def lists(x: List[int]):
    return x[2:], x[:-2], x[::3], x[-3:100], x[4:1], x[1:6:2]


@torch.jit.script
def strings(s: str):
    return s[1:4], s[-3:], s[::2], s[0], s[-1], s[5:2] == ""


@torch.jit.script
def backwards(x: List[int]):
    return x[::-1], x[5:1:-2]


@torch.jit.script
def tuples():
    t = (1, "a", 2.5, True)
    return t[1:], t[:-1], t[-1], t[::2]


print(lists([0, 1, 2, 3, 4, 5, 6]))
print(strings("rushlight"))
print(backwards([0, 1, 2, 3, 4, 5, 6]))
print(tuples())
