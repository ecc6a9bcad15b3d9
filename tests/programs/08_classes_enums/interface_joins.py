# interfaces: conformance, calls, errors
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

@torch.jit.interface
class Shape:
    def area(self) -> float:
        pass
    def scale(self, k: float) -> None:
        pass
@torch.jit.script
class Sq:
    def __init__(self, a: float):
        self.a = a
    def area(self) -> float:
        return self.a * self.a
    def scale(self, k: float) -> None:
        self.a = self.a * k
@torch.jit.script
class Ci:
    def __init__(self, r: float):
        self.r = r
    def area(self) -> float:
        return 3.0 * self.r * self.r
    def scale(self, k: float) -> None:
        self.r = self.r * k
@torch.jit.script
class No:
    def __init__(self):
        self.r = 1.0
    def area(self) -> int:
        return 3
def total(xs: List[Shape]) -> float:
    t = 0.0
    for x in xs:
        x.scale(2.0)
        t += x.area()
    return t
def f(a: float, c: bool) -> float:
    xs: List[Shape] = []
    xs.append(Sq(a))
    xs.append(Ci(a))
    s: Shape = Sq(a)
    if c:
        s = Ci(a)
    return total(xs) + s.area()
s = torch.jit.script(f)
print(s(1.0, True), s(1.0, False))
print(s.graph)
def g() -> float:
    s: Shape = No()
    return s.area()
err(torch.jit.script, g)
def h(s: Shape):
    return s.perimeter()
err(torch.jit.script, h)
def i() -> float:
    xs: List[Shape] = [Sq(1.0), Ci(1.0)]
    return total(xs)
err(lambda: torch.jit.script(i)())
