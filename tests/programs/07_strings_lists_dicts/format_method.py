# str.format with automatic and repeated places, and f-strings of several types
from typing import List

import torch


@torch.jit.script
def formatted(i: int, x: float, s: str, xs: List[int]):
    return "{} and {}".format(i, x), "{}{}{}".format(s, s, i), "<{}>".format(xs)


@torch.jit.script
def interpolated(i: int, x: float, t: torch.Tensor) -> str:
    return f"{i}+{i + 1}={2 * i + 1}, {x}, {t.size(0)}"


@torch.jit.script
def percent(i: int, x: float, s: str):
    return "%d items" % i, "%s is %s" % (s, i), "%f" % x, "100%%" % ()


print(formatted(3, 0.5, "ab", [1, 2]))
print(interpolated(2, 1.25, torch.zeros(7)))
print(percent(7, 0.125, "n"))
