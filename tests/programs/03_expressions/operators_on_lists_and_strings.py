# +, *, in, == and < on lists and strings
from typing import List

import torch


@torch.jit.script
def lists(a: List[int], b: List[int]):
    return a + b, a * 2, 3 in a, a == b, a != b, len(a + b)


@torch.jit.script
def strings(a: str, b: str):
    return a + b, a == b, a < b, a in b, "li" in b, a >= b


print(lists([1, 2], [1, 3]))
print(lists([3], []))
print(strings("light", "rushlight"), strings("x", "x"))
