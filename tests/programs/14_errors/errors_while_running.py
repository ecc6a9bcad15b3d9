# the script call stack of an error, from the outside in
from typing import Dict, List

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def inner(xs: List[int], i: int) -> int:
    return xs[i] // (i - 1)


def middle(xs: List[int], i: int) -> int:
    total = 0
    for j in range(i):
        total += inner(xs, j + 1)
    return total


@torch.jit.script
def outer(xs: List[int], i: int) -> int:
    return middle(xs, i) + 1


@torch.jit.script
def lookup(d: Dict[str, int]) -> int:
    return d["k"]


@torch.jit.script
def unwrap(flag: bool) -> torch.Tensor:
    x = torch.ones(2, 3)
    y = torch.ones(3, 2) if flag else torch.ones(4)
    return x + y


err(outer, [5, 6, 7], 1)
err(outer, [5], 2)
err(lookup, {})
err(unwrap, False)
