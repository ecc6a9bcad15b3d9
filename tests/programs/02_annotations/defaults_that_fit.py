# default values take the type of their parameter, or are refused
from typing import List, Optional, Tuple

import torch

def err(f, *args):
    try:
        r = f(*args)
        print("compiled" if isinstance(r, torch.jit.ScriptFunction) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def f(a: float = 1, b: bool = 1, c: Optional[int] = None, d: Tuple[int, float] = (1, 2), e: List[int] = (1, 2), s: str = "q", x=None):
    return a, b, c, d, e, s

s = torch.jit.script(f)
print(s.schema)
print(s())

def wrong(a: int = 1.5):
    return a

def none(a: str = None):
    return a

def unannotated(a=3):
    return a

def mutable(a: List[int] = [1]):
    return a

for g in (wrong, none, unannotated, mutable):
    err(torch.jit.script, g)
