"""A variable with an annotation in one branch only leaves its name free."""

from typing import Dict as D, List as L, Optional as O, Tuple as T

import torch
from torch import nn


def two_branches(k: int):
    for i in range(3):
        if i == 1:
            s: int = i
            k += s
        if i == 2:
            s: str = "ab"
            k += len(s)
    return k


def plain_first(k: int):
    if k == 1:
        s = k
    if k == 2:
        s: str = "a"
    return k


def over_a_tuple(k: int):
    for i in (1, 2):
        if i == k:
            s: int = i
            k += s
    return k


def taken_in_loop(k: int):
    for i in range(3):
        s: int = i
        if i == 2:
            s: int = i
    return k


def taken_by_both(k: int):
    if k > 1:
        s: int = 2
    else:
        s: int = 3
    if k > 4:
        s: int = 5
    return s


class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.Sigmoid()])

    def forward(self, x, k: int):
        for i, part in enumerate(self.parts):
            if i == k:
                s: int = i
                x = part(x) + s
        return x


def other_names(pair: T[int, L[str]], table: D[str, int]) -> O[int]:
    names: L[str] = pair[1]
    known = torch.jit.annotate(L[O[int]], [])
    for name in names:
        known.append(table[name] if name in table else None)
    return known[pair[0]]


def inferred_first(x, flag: bool):
    if flag:
        y = x
    else:
        y = 3
    return y


def inferred_second(x, flag: bool):
    if flag:
        y = 3
    else:
        y = x
    return y


def inferred_before(x, flag: bool):
    y = x
    if flag:
        y = 3
    return y


for function in (two_branches, plain_first, over_a_tuple, taken_in_loop, taken_by_both):
    try:
        scripted = torch.jit.script(function)
        print(function.__name__, [scripted(k) for k in (1, 2, 5)])
    except RuntimeError as error:
        print(error)
scripted = torch.jit.script(Parts())
print([scripted(torch.ones(2), k) for k in range(4)])
scripted = torch.jit.script(other_names)
print(scripted.schema, scripted((1, ["a", "b"]), {"b": 4}), scripted((0, ["a"]), {"b": 4}))
for function in (inferred_first, inferred_second, inferred_before):
    try:
        torch.jit.script(function)
    except RuntimeError as error:
        print(str(error))


def asserted(h: int, x: torch.Tensor):
    torch._assert(h % 2 == 0, f"height {h} is odd")
    torch._assert(x.sum() > 0, "negative")
    return x * h


scripted = torch.jit.script(asserted)
print(scripted.code)
for h, x in ((2, torch.ones(2)), (3, torch.ones(2)), (2, -torch.ones(2))):
    try:
        print(scripted(h, x))
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[-1])
