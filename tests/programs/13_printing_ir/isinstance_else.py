"""What an isinstance that does not hold says, behind early returns."""
from typing import List, Optional

import torch


def flat(g):
    return "\n".join(l.split(" # ")[0].rstrip() for l in str(g).split("\n"))


def v1(x: Optional[torch.Tensor]) -> int:
    if isinstance(x, torch.Tensor):
        return x.dim()
    return 1
def v2(x: Optional[torch.Tensor]) -> int:
    if isinstance(x, torch.Tensor):
        return 2
    return 1
def v3(x: Optional[int]) -> int:
    if isinstance(x, int):
        return x
    return 1
def v4(x: Optional[int]) -> int:
    if not isinstance(x, int):
        return 1
    return x
def v5(x: Optional[int]) -> int:
    if x is None:
        return 1
    return x
def v6(x: Optional[int]) -> int:
    if isinstance(x, int):
        r = 3
    else:
        r = 4
    return r
def v7(x: Optional[int], c: bool) -> int:
    if isinstance(x, int):
        c = True
    if c:
        return 3
    return 4
def w1(x: Optional[torch.Tensor], y: List[int]) -> int:
    if isinstance(x, torch.Tensor):
        return x.dim()
    with torch.no_grad():
        pass
    return len(y)
def w2(c: bool, y: List[int]) -> int:
    if c:
        return 1
    with torch.no_grad():
        pass
    return len(y)
def w3(c: bool, y: List[int]) -> int:
    if c:
        return 1
    return len(y)
def w4(x: Optional[torch.Tensor], y: List[int]) -> int:
    if isinstance(x, torch.Tensor):
        return x.dim()
    return len(y)
def w5(x: Optional[torch.Tensor], y: List[int]) -> int:
    if x is not None:
        return x.dim()
    z = len(y)
    return z + 1
def w6(c: bool, y: List[int]) -> int:
    if c:
        y.append(1)
        return 1
    z = len(y)
    y.append(2)
    return z + 1
def w7(c: bool, d: bool, y: List[int]) -> int:
    if c:
        z = len(y)
        if d:
            return z
    y.append(2)
    return 1
def w8(x: Optional[torch.Tensor], y: List[int]) -> int:
    if isinstance(x, torch.Tensor) and isinstance(y, list):
        return x.dim()
    return len(y)
def w9(x: Optional[torch.Tensor], y: List[int], c: bool) -> int:
    if x is not None and c:
        return x.dim()
    return len(y)


for f in (v1, v2, v3, v4, v5, v6, v7, w1, w2, w3, w4, w5, w6, w7, w8, w9):
    print("##", f.__name__)
    print(flat(torch.jit.script(f).graph))
