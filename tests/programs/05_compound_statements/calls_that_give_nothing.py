"""Calls that give None as values, questions about overriding, and a dtype that is not there."""
import torch
import torch.nn.functional as F
from typing import List


@torch.jit.script
def asserted(ok: bool):
    return torch._assert(ok, "not ok")


print(asserted(True))
try:
    asserted(False)
except Exception as e:
    print(type(e).__name__, str(e).strip().split("\n")[-1])


@torch.jit.script
def overridden(x):
    if F.has_torch_function((x,)):
        return x
    return x + 1


print(overridden(torch.ones(1)))


@torch.jit.script
def typed(x):
    return x.type(), x.type(torch.float64)


print(typed(torch.ones(1)))


@torch.jit.script
def set_both(x: List[int], a: int, b: int):
    x[0], x[1] = a, b
    return x


print(set_both.graph)
