# default values of parameters: whole numbers where floats are wanted, tuples for lists, one number for a broadcasting list
import torch
from typing import List, Optional, Tuple
from torch._jit_internal import BroadcastingList2


def a(x: float = 1):
    return x


def b(x: int = True):
    return x


def c(x: Optional[float] = 1):
    return x


def d(x: List[int] = (1, 2)):
    return x


def e(x: Tuple[float, int] = (1, 2)):
    return x


def f(x: bool = 1):
    return x


def g(x: int = 1.0):
    return x


def h(x: str = 1):
    return x


for fn in (a, b, c, d, e, f, g, h):
    try:
        s = torch.jit.script(fn)
        print(s.schema)
        print(s())
    except RuntimeError as error:
        print(error)


def pair(y, x: BroadcastingList2[int]):
    return x


def call(y):
    return pair(y, 3), pair(y, (3, 4)), pair(y, x=[1, 2])


print(torch.jit.script(pair).schema)
print(torch.jit.script(call).graph)
print(torch.jit.script(call)(torch.ones(1)))
