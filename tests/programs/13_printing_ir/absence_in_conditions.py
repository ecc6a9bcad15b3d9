"""Numbers of values after conditions with `in` and `not in`, and after casts of objects of script classes."""
import re
from typing import Dict, List

import torch
from torch import Tensor


@torch.jit.script
class W:
    def __init__(self):
        self.a = 1

    def __str__(self) -> str:
        return "w"

    def __int__(self) -> int:
        return 1

    def __float__(self) -> float:
        return 1.0

    def __bool__(self) -> bool:
        return True


def absent(t: str, d: Dict[str, int]) -> int:
    if t not in d:
        d[t] = 0
    d[t] += 1
    return d[t]


def present(t: str, d: Dict[str, int]) -> int:
    if t in d:
        return 3
    return 4


def in_list(t: int, l: List[int]) -> int:
    return 3 if t not in l else 4


def in_text(t: str, s: str) -> int:
    if not t in s:
        return 1
    elif t not in s and s not in t:
        return 2
    return 3


def repeated(t: int, l: List[int]) -> int:
    while t not in l:
        l.append(len(l))
        if len(l) not in l:
            continue
    return len(l) + 1


def checked(t: str, d: Dict[str, Tensor]) -> int:
    assert t not in d
    x = t not in d
    return 3 if x or t not in d else 4


def casts():
    w = W()
    return str(w), int(w), float(w), bool(w), 3


for f in (absent, present, in_list, in_text, repeated, checked, casts):
    s = torch.jit.script(f)
    print(re.sub(r" # .*", "", str(s.graph)))
    print(s.code)
