"""Lengths as conditions need one zero; extremes of tensors take their numbers, two before lists; isinstance is told at what is asked about."""

from typing import Dict, List

import torch


def short(items: List[int]):
    if items:
        return 1
    return 0


def drain(items: List[int]):
    n = 0
    while items:
        items.pop()
        n += 1
    return n


def neither(items: List[int], text: str):
    return not items, not text


def both(items: List[int], table: Dict[str, int]):
    return items and table


def either(table: Dict[str, int]):
    return table or 1


def larger(x: torch.Tensor, i: int):
    return max(i, x[0])


def largest(x: torch.Tensor, i: int):
    return max(x[0], i, 3)


def smaller(x: torch.Tensor, y: float):
    return min(x[0], y), min(y, x[0], x[1])


def known(i: int):
    return isinstance(i, int)


for function in (short, drain, neither, both, either, larger, largest, smaller, known):
    print(torch.jit.script(function).graph)
print(torch.jit.script(larger)(torch.tensor([5, 2]), 3), torch.jit.script(largest)(torch.tensor([5, 2]), 7))
print(torch.jit.script(smaller)(torch.tensor([1.5, 0.5]), 1.0))
