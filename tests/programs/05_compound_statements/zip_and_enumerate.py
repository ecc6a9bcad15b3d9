# zip of unequal lengths, enumerate with a start, both nested, over lists, ranges and tensors
from typing import List

import torch


@torch.jit.script
def combine(xs: List[int], names: List[str]):
    out: List[str] = []
    for i, (x, name) in enumerate(zip(xs, names), 1):
        out.append(str(i) + name + str(x))
    for a, b, c in zip(range(3), xs, "pqr"):
        out.append(c + str(a * b))
    return out


@torch.jit.script
def rows(t: torch.Tensor) -> List[float]:
    out: List[float] = []
    for i, row in enumerate(t):
        out.append(float(row.sum()) + i)
    return out


print(combine([10, 20, 30], ["a", "b"]))
print(rows(torch.arange(6.0).reshape(3, 2)))
