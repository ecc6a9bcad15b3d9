# tensor indexing by ints, slices, None, lists, masks, and what cannot index
from typing import Tuple

import torch

def err(f, *args):
    try:
        r = f(*args)
        print("compiled" if isinstance(r, torch.jit.ScriptFunction) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def f(x, m, i: int):
    return x[i], x[1:, ::2], x[None, 0], x[..., 1], x[[0, 1]], x[0, [1]], x[:, m], x[x > 2]

x = torch.arange(9).view(3, 3)
print(torch.jit.script(f)(x, torch.tensor([0, 2]), 1))

def g(x, m):
    x[0] = 7
    x[1:, 0] += 1
    x[m] *= 2
    x[[2]] = x[0] + 1
    return x

print(torch.jit.script(g)(x, torch.tensor([1])))
print(torch.jit.script(g).graph)

def by_float(x, i: float):
    return x[i]

def by_tuple(x, i: Tuple[int, int]):
    return x[i]

def late_tensor(x, i):
    return x[..., i]

for f in (by_float, by_tuple, late_tensor):
    err(torch.jit.script, f)
