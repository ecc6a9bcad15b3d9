# augmented assignment on names, attributes, list elements, dict entries and tensor views
from typing import Dict, List

import torch


class Account:
    def __init__(self, balance: float):
        self.balance = balance


@torch.jit.script
def numbers(x: int, y: float):
    x += 2
    x *= 3
    x -= 1
    y /= 2
    y **= 2
    y -= 0.25
    x <<= 3
    x |= 5
    x ^= 1
    x &= 0x3C
    return x, y


@torch.jit.script
def places(xs: List[int], d: Dict[str, int], t: torch.Tensor):
    a = Account(10.0)
    a.balance += 5.5
    a.balance *= 2.0
    xs[1] += 10
    xs[-1] *= 2
    d["k"] += 1
    t[0] += 1
    t[1:] *= 3
    xs += [7]
    return a.balance, xs, d, t


print(numbers(4, 3.0))
print(places([1, 2, 3], {"k": 41}, torch.ones(3)))
