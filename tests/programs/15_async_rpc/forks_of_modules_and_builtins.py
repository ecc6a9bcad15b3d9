# fork of modules, methods, lambdas; shapes of results; errors
import os
import sys
import torch
import torch.nn as nn
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

class Sub(nn.Module):
    def __init__(self, k: float):
        super().__init__()
        self.k = k
    def forward(self, x):
        return x * self.k
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Sub(2.0)
        self.b = Sub(3.0)
    def extra(self, x, n: int) -> Tuple[torch.Tensor, int]:
        return x + n, n
    def forward(self, x):
        fa = torch.jit.fork(self.a, x)
        fb = torch.jit.fork(self.b, x)
        fc = torch.jit.fork(self.extra, x, 4)
        t, n = torch.jit.wait(fc)
        return torch.jit.wait(fa) + torch.jit.wait(fb), t, n
m = torch.jit.script(M())
print(m(torch.ones(2)))
print(m.graph)
print(m.code)
def rec(n: int) -> int:
    if n < 2:
        return n
    return n
def f(n: int):
    fs: Dict[str, torch.jit.Future[int]] = {}
    for i in range(n):
        fs[str(i)] = torch.jit.fork(rec, i)
    out: List[int] = []
    for k in fs:
        out.append(torch.jit.wait(fs[k]))
    return out
err(lambda: torch.jit.script(f)(3))
def g(x):
    fut = torch.jit.fork(torch.relu, x)
    return torch.jit.wait(fut)
err(lambda: torch.jit.script(g)(torch.tensor([-1.0, 1.0])))
def h(x):
    return torch.jit.fork(x)
err(lambda: torch.jit.script(h))
def i(x):
    fut = torch.jit.fork(rec)
    return torch.jit.wait(fut)
err(lambda: torch.jit.script(i))
def j(x: List[int]):
    fut = torch.jit.fork(sorted, x)
    return torch.jit.wait(fut)
err(lambda: torch.jit.script(j)([2, 1]))
def k(x):
    y = torch.jit.fork(rec, 3)
    z = y
    return torch.jit.wait(y) + torch.jit.wait(z), y.wait()
err(lambda: torch.jit.script(k)(torch.ones(1)))
def l(futs: List[torch.jit.Future[torch.Tensor]]):
    return [torch.jit.wait(q) for q in futs]
fut = torch.jit.fork(torch.ones, 2)
err(lambda: torch.jit.script(l)([fut]))
print(torch.jit.script(l).schema)
sys.stdout.flush()
os._exit(0)
