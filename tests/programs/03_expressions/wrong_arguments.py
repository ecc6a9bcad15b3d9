# calls that no overload takes list every overload, each with its reason; a single schema stands alone
from typing import List, Optional

import torch

def err(f, *args):
    try:
        r = f(*args)
        print("compiled" if isinstance(r, torch.jit.ScriptFunction) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def h(x: int, y: str = "a"):
    return x

def too_many(x):
    return h(1, "b", 3)

def too_few(x):
    return h()

def unknown_name(x):
    return h(1, z=2)

def twice(x):
    return h(1, x=2)

def wrong_type(x):
    return h("a")

def unannotated(x):
    return x

def to_unannotated(x: int):
    return unannotated(x)

def builtin(x: List[int]):
    return x.append("a")

def no_overload(x: str):
    return x * 2

def no_varargs(x):
    return x.permute("a")

def optional(x: Optional[List[int]]):
    return x[0]

for f in (too_many, too_few, unknown_name, twice, wrong_type, to_unannotated, builtin, no_overload, no_varargs, optional):
    err(torch.jit.script, f)
