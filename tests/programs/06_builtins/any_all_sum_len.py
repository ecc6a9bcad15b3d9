# all, any, sum and len on lists of several types
from typing import Dict, List

import torch


@torch.jit.script
def bools(xs: List[bool]):
    return all(xs), any(xs)


@torch.jit.script
def sums(a: List[int], b: List[float], c: List[bool]):
    return sum(a), sum(b), sum(c)


@torch.jit.script
def lengths(s: str, d: Dict[str, int], t: torch.Tensor, xs: List[List[int]]):
    return len(s), len(d), len(t), len(xs), len((1, "a"))


print(bools([True, False]), bools([True]), bools([]))
print(sums([1, 2, 3], [0.5, 0.25], [True, True]), sums([], [], []))
print(lengths("four", {"a": 1}, torch.zeros(3, 2), [[], [1]]))
