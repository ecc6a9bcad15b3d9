# with: classes, several items, as-names, returns inside
import torch
from typing import Any, List

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
class Ctx:
    def __init__(self, name: str):
        self.name = name
        self.log: List[str] = []
    def __enter__(self):
        self.log.append("enter " + self.name)
        return self
    def __exit__(self, t: Any, v: Any, tb: Any):
        print("exit", self.name, self.log)
def f(n: int):
    with Ctx("a") as a:
        a.log.append("body")
        if n > 1:
            return "early"
    return "late"
s = torch.jit.script(f)
print(s(1), s(2))
print(s.graph)
def g():
    with Ctx("x") as x, Ctx("y") as y:
        x.log.append(y.name)
    with Ctx("z"):
        pass
    return 3
err(lambda: torch.jit.script(g)())
def h(n: int):
    with Ctx("e"):
        for i in range(n):
            if i == 2:
                raise ValueError("boom")
    return n
err(lambda: torch.jit.script(h)(2))
err(lambda: torch.jit.script(h)(5))
@torch.jit.script
class Bad:
    def __init__(self):
        self.x = 1
    def __enter__(self):
        return self.x
def i():
    with Bad() as b:
        print(b)
err(lambda: torch.jit.script(i))
def j(x: int):
    with x:
        print(x)
err(lambda: torch.jit.script(j))
def k(n: int):
    for i in range(n):
        with Ctx(str(i)):
            if i == 1:
                continue
            if i == 3:
                break
    return n
err(lambda: torch.jit.script(k)(5))
def l(x):
    with torch.no_grad():
        y = x * 2
    return y
err(lambda: torch.jit.script(l)(torch.ones(1)))
