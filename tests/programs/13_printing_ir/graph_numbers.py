# numbers and names of values in printed graphs: joins, loops, early exits, conditions
import torch
from typing import Dict, List, Optional

def joins(x: int, c: bool, d: bool):
    if c:
        if d:
            x = 1
        else:
            x = x + 2
    y = x if d else 4
    return x, y
def loops(x: int, n: int):
    y = 1
    for i in range(n):
        for j in range(i):
            x = x + j
            y = y * x
    while x < n and n > 2:
        x = x + 1
    return x, y
def exits(xs: List[int]):
    y = 0
    for a in xs:
        for b in range(a):
            if b > 3:
                return y
            y += b
        y += 1
    return y
def leaves(x: int, n: int):
    for i in range(n):
        if i > 3:
            break
        x = x + 1
    return x
def refines(x: Optional[int]):
    if x is not None and x > 1:
        return x
    assert x is not None, "none"
    return x + 3
def indexes(x: torch.Tensor, i: int, t: torch.Tensor):
    x[i] = 1
    x[1:, i] = t
    x[t > 0] += 3
    return x[i, 1:2], x[t], x[..., i], x[None], 1 - x, x.shape[0]
def containers(xs: List[int], d: Dict[str, int]):
    a, b = xs[0], xs[1:]
    xs += [a]
    d["a"] = a
    d["b"] += 1
    c = [v + 1 for v in xs]
    e = {k: v for k, v in d.items()}
    return b, c, e, "a" in d, len(xs), f"{a} of {b}"
for f in (joins, loops, exits, leaves, refines, indexes, containers):
    print(torch.jit.script(f).graph)
