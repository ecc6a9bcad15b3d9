"""Conditions that an earlier `if` has computed on both of its ways."""

from typing import List, Tuple

import torch


@torch.jit.script
def plain(a0: float, a1: int, b0: float, b1: int) -> int:
    r = False
    if a0 != b0:
        r = a0 < b0
    else:
        r = a1 < b1
    n = 0
    if r:
        n += 1
    return n


@torch.jit.script
def swapped(a0: int, a1: int, b0: int, b1: int) -> str:
    r = a1 < b1 if a0 == b0 else a0 < b0
    if r:
        return "less"
    return "not less"


@torch.jit.script
def counted(items: List[Tuple[float, int]]) -> int:
    n = 0
    i = len(items) - 1
    while i > 0:
        a, b = items[i], items[i - 1]
        less = False
        if a[0] != b[0]:
            less = a[0] < b[0]
        else:
            less = a[1] < b[1]
        if less:
            n += 1
        i -= 1
    return n


@torch.jit.script
def below(a: Tuple[float, int], b: Tuple[float, int]) -> bool:
    if a[0] != b[0]:
        return a[0] < b[0]
    return a[1] < b[1]


@torch.jit.script
def called(items: List[Tuple[float, int]]) -> Tuple[int, int]:
    n, steps = 0, 0
    for i in range(1, len(items)):
        if below(items[i], items[i - 1]):
            n += 1
        steps += i
    return n, steps


@torch.jit.script
def mixed(x: int, y: int, z: int) -> List[int]:
    out: List[int] = []
    for k in range(4):
        if x > k and y > k or z == k:
            out.append(k)
        c = z > k if x == k else y != k
        while c:
            out.append(10 + k)
            c = False
        assert (x >= 0 if y > 0 else z >= 0)
    return out


@torch.jit.script
def known_at_first(a: int, xs: List[int], q: bool) -> Tuple[int, bool]:
    p = True or q
    n = 0
    while p and n < 6:
        n += 1
        p = a == len(xs) + n
    none = xs is None
    for k in range(2):
        if not none:
            none = k == 0
    return n, none


print(known_at_first(3, [1, 2], False), known_at_first(3, [1], True))
print([plain(a, i, b, j) for a in (1.0, 4.0) for b in (1.0, 4.0) for i in (1, 2) for j in (1, 2)])
print([swapped(a, i, b, j) for a in (1, 4) for b in (1, 4) for i in (1, 2) for j in (1, 2)])
items = [(0.0, 0), (1.0, 3), (3.0, 4), (2.0, 1), (4.0, 2), (0.0, 5), (0.0, 4)]
print(counted(items), called(items), [below(a, b) for a in items for b in items])
print([mixed(x, y, z) for x in range(3) for y in range(3) for z in range(2)])
