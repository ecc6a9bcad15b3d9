# assignment to attributes, items and nested targets
import torch
from typing import Dict, List, Tuple

def err(f, *args):
    try:
        r = f(*args)
        if isinstance(r, (torch.jit.ScriptFunction, torch.jit.ScriptModule, type)):
            r = "compiled"
        print(r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.script
class Box:
    def __init__(self):
        self.v = 1
        self.xs = [1, 2, 3]
        self.d = {"a": 1}
        self.t = torch.zeros(2)

def f():
    b = Box()
    b.v += 4
    b.v, w = 7, b.v
    b.xs[1] = 20
    b.xs[0] += b.v
    b.d["z"] = b.xs[0]
    b.d["a"] -= 3
    b.t[0] = 5
    b.t += 1
    b.xs += [9]
    return b.v, w, b.xs, b.d, b.t
err(lambda: torch.jit.script(f)())
def g(xs: List[List[int]]):
    xs[0][1] = 9
    xs[1].append(xs[0][0])
    (a, b), c = (xs[0][0], xs[0][1]), xs[1]
    return xs, a, b, c
err(lambda: torch.jit.script(g)([[1, 2], [3]]))
def h():
    b = Box()
    b.v = "s"
err(lambda: torch.jit.script(h))
def i():
    b = Box()
    b.nope = 1
err(lambda: torch.jit.script(i))
def j(t: Tuple[int, int]):
    t[0] = 1
    return t
err(lambda: torch.jit.script(j))
def k(s: str):
    s[0] = "a"
    return s
err(lambda: torch.jit.script(k))
def l(d: Dict[str, List[int]]):
    d["a"].append(1)
    d["b"] = d["a"]
    d["b"] += [2]
    return d
err(lambda: torch.jit.script(l)({"a": []}))
def m(a: int, b: int):
    a, b = b, a
    a, b = a + b, a - b
    return a, b
err(lambda: torch.jit.script(m)(1, 5))
def n(x: int):
    x: str = "a"
    return x
err(lambda: torch.jit.script(n))
def o(x: int):
    y: int
    y = x
    return y
err(lambda: torch.jit.script(o)(2))
