# an annotation says what a display is, not what its items are
from typing import Any, Dict, List, Optional, Tuple, Union

import torch

def err(f, *args):
    try:
        r = f(*args)
        print("compiled" if isinstance(r, torch.jit.ScriptFunction) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def fits(x: int):
    a: List[Optional[int]] = [1, None]
    b: Dict[str, Optional[int]] = {"a": x, "b": None}
    c: Tuple[int, Optional[str]] = (x, None)
    d: List[Union[int, str]] = [x, "a"]
    e: Any = x
    return a, b, c, d, e

s = torch.jit.script(fits)
print(s.schema)
print(s(1))

def inner_list(x: int):
    a: List[List[int]] = [[], [x]]
    return a

def inner_dict(x: int):
    a: Dict[str, List[int]] = {"a": []}
    return a

def keys(x: int):
    a: Dict[str, int] = {1: 2}
    return a

def in_tuple(x: int):
    a: Tuple[List[int], int] = ([], 1)
    return a

def ints(x: int):
    a: List[float] = [x]
    return a

for f in (inner_list, inner_dict, keys, in_tuple, ints):
    err(torch.jit.script, f)
