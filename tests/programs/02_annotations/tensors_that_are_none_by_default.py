# Parameters that are tensors and None by default: undefined tensors, which are never None for a script.
from typing import List, Optional

import torch
from torch import Tensor, nn


def show(f, *args):
    try:
        scripted = torch.jit.script(f)
    except Exception as e:
        print("refused", type(e).__name__, [line for line in str(e).split("\n") if line.strip()][0])
        return
    try:
        print(scripted(*args), getattr(scripted, "schema", scripted.forward.schema if isinstance(f, nn.Module) else ""))
    except Exception as e:
        print("failed", type(e).__name__, [line for line in str(e).split("\n") if line.strip()][-1])


def added(x: Tensor, m: Tensor = None):
    if m is None:
        return x
    return x + m


class Doubles(nn.Module):
    def forward(self, x: Tensor, m: Tensor = None) -> Tensor:
        return x * 2


def bare(x, m=None):
    return x if m is None else x * 2


def optional(x, m: Optional[Tensor] = None):
    return x


def int_of_none(x, m: int = None):
    return x


def tensor_of_int(x, m: Tensor = 3):
    return x


def list_of_none(x, m: List[int] = None):
    return x


x = torch.ones(2)
show(added, x)
show(added, x, x)
show(Doubles(), x)
show(Doubles(), x, x)
show(bare, x)
show(optional, x)
show(int_of_none, x)
show(tensor_of_int, x)
show(list_of_none, x)
