# insert, remove, extend, clear, copy, pop with an index, and their errors
from typing import List

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.script
def edit(xs: List[int]):
    ys = xs.copy()
    ys.insert(0, 100)
    ys.insert(-1, 200)
    ys.insert(50, 300)
    ys.remove(2)
    popped = ys.pop(1)
    ys.extend([7, 7])
    last = ys.pop()
    count = ys.count(7)
    zs = xs.copy()
    zs.clear()
    return xs, ys, popped, last, count, zs


@torch.jit.script
def remove_missing(xs: List[str]) -> List[str]:
    xs.remove("z")
    return xs


@torch.jit.script
def pop_empty(xs: List[float]) -> float:
    return xs.pop()


print(edit([1, 2, 3, 2]))
err(remove_missing, ["a", "b"])
err(pop_empty, [])
