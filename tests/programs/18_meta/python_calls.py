# functions that stay in Python: ignored ones run there, unused ones raise
from typing import List, Tuple

import torch

def attempt(action):
    try:
        print(action())
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


@torch.jit.ignore
def outside(xs: List[int]) -> Tuple[int, str]:
    return sum(xs), "python"


@torch.jit.ignore
def wrong(x: int) -> int:
    return "text"


@torch.jit.ignore
def with_default(x, y=3):
    return x + y


@torch.jit.unused
def never(x: int) -> int:
    import nowhere

    return nowhere.f(x)


@torch.jit.script
def f(xs: List[int]):
    n, where = outside(xs)
    return n + 1, where


@torch.jit.script
def g(x: int, b: bool):
    if b:
        return never(x)
    return wrong(x)


def h(x):
    return with_default(x)


print(f([1, 2]))
attempt(lambda: g(1, True))
attempt(lambda: g(1, False))
attempt(lambda: torch.jit.script(h))
