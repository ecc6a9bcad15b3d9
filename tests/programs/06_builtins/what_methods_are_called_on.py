# the object before the dot is the operator's self, and nothing else
import torch
from typing import List

def err(f):
    try:
        print(torch.jit.script(f).schema)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def a(x):
    return x.add("a")
def b(x):
    return x.mul(x, x)
def c(x: List[int]):
    return x.len()
def d(x: str):
    return x.ord()
def e(x):
    return x.add(1, alpha=2), x.sub(other=1), x.lt(2)
def f(x: int):
    return x.add(1)
for fn in (a, b, c, d, e, f):
    err(fn)
