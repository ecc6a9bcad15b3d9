# del, shadowing, names in comprehensions and loops
import torch
from typing import Dict, List

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

def a(x: int):
    y = x + 1
    del y
    return y
err(lambda: torch.jit.script(a))
def b(xs: List[int], d: Dict[str, int]):
    del xs[0]
    del xs[-1], d["a"]
    return xs, d
err(lambda: torch.jit.script(b)([1, 2, 3], {"a": 1, "b": 2}))
err(lambda: torch.jit.script(b)([1, 2, 3], {}))
err(lambda: torch.jit.script(b)([], {"a": 1}))
def c(n: int):
    x = 10
    ys = [x for x in range(n)]
    return x, ys
err(lambda: torch.jit.script(c)(3))
def d(n: int):
    ys = [k * k for k in range(n)]
    return k
err(lambda: torch.jit.script(d))
def e(n: int):
    for i in range(n):
        z = i
        for i in range(2):
            z += i
    return n
err(lambda: torch.jit.script(e)(2))
def f(n: int):
    if n > 1:
        q = 1
    if n > 1:
        return q
    return 0
err(lambda: torch.jit.script(f))
def g(len: int):
    return len + 1
err(lambda: torch.jit.script(g)(1))
def h(x: int):
    int = 3
    return int + x
err(lambda: torch.jit.script(h)(1))
def i(x):
    torch = x
    return torch + 1
err(lambda: torch.jit.script(i)(torch.ones(1)))
def j(x: int):
    print = x
    return print
err(lambda: torch.jit.script(j)(1))
def k(x: int):
    del x.real
err(lambda: torch.jit.script(k))
def l(x: int):
    x = x
    x, x = 1, 2
    return x
err(lambda: torch.jit.script(l)(1))
def m(self: int):
    return self
err(lambda: torch.jit.script(m)(1))
def n(x: int) -> int:
    """doc string"""
    "another"
    5
    x
    ...
    return x
err(lambda: torch.jit.script(n)(1))
