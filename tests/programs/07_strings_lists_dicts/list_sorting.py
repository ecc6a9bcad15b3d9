# sort and sorted of numbers, strings and tuples, both directions, stable
from typing import List, Tuple

import torch


@torch.jit.script
def numbers(xs: List[int], ys: List[float]):
    zs = sorted(xs)
    xs.sort(reverse=True)
    ys.sort()
    return xs, ys, zs


@torch.jit.script
def words(xs: List[str]) -> List[str]:
    xs.sort()
    return xs


@torch.jit.script
def pairs(xs: List[Tuple[int, str]]) -> List[Tuple[int, str]]:
    return sorted(xs)


@torch.jit.script
def turned(xs: List[bool]):
    xs.reverse()
    return xs, [x for x in [1, 2, 3][::-1]]


print(numbers([3, -1, 2], [0.5, -2.0, 0.25]))
print(words(["pear", "Apple", "apple", "", "fig"]))
print(pairs([(2, "b"), (1, "z"), (2, "a"), (1, "z")]))
print(turned([True, False, False]))
