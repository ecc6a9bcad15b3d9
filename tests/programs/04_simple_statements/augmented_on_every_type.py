# augmented assignment: in place on tensors and lists, by another operator elsewhere
from typing import Dict, List

import torch

def err(f, *args):
    try:
        r = f(*args)
        print("compiled" if isinstance(r, torch.jit.ScriptFunction) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def numbers(x: int, y: float, s: str):
    x += 1
    x <<= 2
    x |= 1
    y **= 2
    y /= 4
    s += "b"
    x %= 7
    return x, y, s

print(torch.jit.script(numbers)(3, 3.0, "a"))

def containers(xs: List[int], d: Dict[str, int], t):
    ys = xs
    xs += [2]
    d["a"] *= 3
    u = t
    t += 1
    t[0] -= 5
    t |= 2
    return xs, ys, d, t, u

print(torch.jit.script(containers)([1], {"a": 2}, torch.tensor([1, 2])))

def floor(x: int):
    x //= 2
    return x

def matmul(x):
    x @= x
    return x

def undefined(x: int):
    y += x
    return y

def mixed(x: int):
    x += "a"
    return x

for f in (floor, matmul, undefined):
    err(torch.jit.script, f)
