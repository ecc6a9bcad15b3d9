# list and dict comprehensions, over ranges, lists, strings and calls
from typing import Dict, List

import torch


def square(x: int) -> int:
    return x * x


@torch.jit.script
def lists(xs: List[int], word: str):
    a = [square(x) for x in xs]
    b = [float(x) / 2 for x in range(4)]
    c = [ch + ch for ch in word]
    d = [[y * x for y in range(x)] for x in xs]
    return a, b, c, d


@torch.jit.script
def dicts(xs: List[str]) -> Dict[str, int]:
    return {x: len(x) for x in xs}


@torch.jit.script
def shadow(x: int):
    ys = [x for x in range(3)]
    return x, ys


print(lists([1, 2, 3], "ab"))
print(dicts(["one", "three"]))
print(shadow(10))
