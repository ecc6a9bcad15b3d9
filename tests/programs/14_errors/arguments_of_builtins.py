# arguments of builtins and methods that do not fit
import torch
from typing import List, Dict

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

def a(x):
    return torch.sum(x, 1, 2, 3, 4)
def c(x):
    return x.reshape()
def d(x: List[int]):
    return x.append()
def e(x: str):
    return x.split(1)
def f(x):
    return torch.cat(x)
def g(x):
    return torch.relu(x, 1)
def h(x):
    return torch.clamp(x, minimum=0)
def i(x: int):
    return torch.relu(x)
def j(x):
    return x.sum(dim="a")
def k(x):
    return torch.zeros("a")
def l(x):
    return torch.nn.functional.relu(x, inplace="yes")
def m(x):
    return torch.nn.functional.linear(x)
def n(x):
    return torch.matmul(x, 3)
def o(x):
    return x + "a"
def p(x):
    return x["a"]
def q(x: Dict[str, int]):
    return x.get()
def r(x):
    return len(x, x)
def s(x):
    return range(x, "b")
def t(x: float):
    return round(x, "a")
def u(x):
    return torch.tensor(x, 1, 2)
def v(x):
    return torch.arange(0, 1, 2, 3, 4, 5, 6, 7)
for fn in (a, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v):
    print(fn.__name__)
    err(lambda: torch.jit.script(fn).schema)
