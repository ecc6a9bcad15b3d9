# sorting a list of Any: only objects and tuples have an order there
import torch
from typing import Any, List

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def f(xs: List[Any]):
    return sorted(xs)

def g(xs: List[Any]):
    xs.sort(reverse=True)
    return xs

s, r = torch.jit.script(f), torch.jit.script(g)
err(s, [2, 1])
err(r, [(1, 2), (2, 1)])
err(r, [(1, "a"), (1, 2)])
err(s, [2.5, 1])
err(s, [])
