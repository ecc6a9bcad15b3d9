# setdefault, pop, popitem, update, get and removal keep the order of what stays
from typing import Dict, List

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.script
def edit(d: Dict[str, int]):
    e = d.copy()
    e["new"] = 1
    e["a"] = 10
    first = e.setdefault("a", 99)
    second = e.setdefault("other", 5)
    gone = e.pop("b")
    other = e.pop("absent", -1)
    e.update({"c": 33, "z": 26})
    return d, e, first, second, gone, other, e.get("q", 7), "a" in e


@torch.jit.script
def missing(d: Dict[int, str], k: int) -> str:
    return d[k]


@torch.jit.script
def keys_of_kinds():
    a = {1.5: "x", 2.0: "y"}
    b = {True: 1, False: 0}
    return a[2.0], b[False], list(a.keys()), list(b.values())


print(edit({"a": 1, "b": 2, "c": 3}))
print(keys_of_kinds())
err(missing, {1: "one"}, 1)
err(missing, {1: "one"}, 2)
