# what can be assigned to, and how values are unpacked
from typing import List, Tuple

import torch

def err(f, *args):
    try:
        r = f(*args)
        print("compiled" if isinstance(r, torch.jit.ScriptFunction) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def fine(t: Tuple[int, Tuple[str, float], int], xs: List[int]):
    a, (b, c), d = t
    e, *f = t
    g, h = xs
    xs[0], i = 5, 6
    return a, b, c, d, e, f, g, h, i, xs

print(torch.jit.script(fine)((1, ("a", 2.5), 3), [7, 8]))

def few(t: Tuple[int, int]):
    a, b, c = t
    return a

def many(t: Tuple[int, int, int]):
    a, b = t
    return a

def star_few(t: Tuple[int]):
    a, *b, c = t
    return a

def star_list(t: List[int]):
    a, *b = t
    return a

def number(t: int):
    a, b = t
    return a

def tensor(t):
    a, b = t
    return a

def bracketed(t: Tuple[int, int]):
    [a, b] = t
    return a

def item(t: Tuple[int, int]):
    t[0] = 1
    return t

def sliced(t: List[int]):
    t[0:1] = [3]
    return t

for f in (few, many, star_few, star_list, number, tensor, bracketed, item, sliced):
    err(torch.jit.script, f)
err(torch.jit.script(fine), (1, ("a", 2.5), 3), [7])
