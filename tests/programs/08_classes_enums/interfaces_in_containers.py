# interfaces swapped at run time, module interfaces, lists of interfaces, wrong implementations, overloads of methods
import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

class Bad:
    graph = code = schema = inlined_graph = "-"
    def __call__(self, *args):
        raise ValueError("not compiled")

def js(f):
    try:
        return torch.jit.script(f)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")
        return Bad()

def err(f, *args, **kw):
    try:
        r = f(*args, **kw)
        print("ok", "compiled" if isinstance(r, (torch.jit.ScriptFunction, torch.jit.ScriptModule)) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def sec(f):
    print("--", f.__name__)
    try:
        f()
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.interface
class Shape:
    def area(self) -> float:
        pass
    def scale(self, k: float) -> "float":
        pass
@torch.jit.script
class Sq:
    def __init__(self, a: float):
        self.a = a
    def area(self) -> float:
        return self.a * self.a
    def scale(self, k: float) -> float:
        return self.a * k
@torch.jit.script
class Disc:
    def __init__(self, r: float):
        self.r = r
    def area(self) -> float:
        return 3.0 * self.r ** 2
    def scale(self, k: float) -> float:
        return self.r * k
    def extra(self) -> int:
        return 1
@torch.jit.script
class Wrong:
    def __init__(self):
        self.z = 1
    def area(self) -> int:
        return self.z
@js
def total(kind: str, n: int) -> float:
    xs: List[Shape] = []
    for i in range(n):
        if kind == "sq" or i % 2 == 0:
            xs.append(Sq(float(i)))
        else:
            xs.append(Disc(float(i)))
    t = 0.0
    for x in xs:
        t += x.scale(2.0)
    d: Dict[str, Shape] = {"a": xs[0]}
    d["b"] = Disc(1.0)
    return t + d["b"].area()
@js
def pick(a: Shape, b: Optional[Shape] = None) -> Shape:
    if b is None:
        return a
    return b if b.area() > a.area() else a
@js
def wrong() -> float:
    x: Shape = Wrong()
    return x.area()
@js
def wrong2(s: Shape) -> int:
    return s.extra()
@js
def wrong3(s: Shape):
    if isinstance(s, Sq):
        return 1
    return 0

@torch.jit.interface
class Act(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass
    def name(self) -> str:
        pass
class A1(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1
    @torch.jit.export
    def name(self) -> str:
        return "A1"
class A2(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(3.0))
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.w
    @torch.jit.export
    def name(self) -> str:
        return "A2"
class A3(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x
class Holder(nn.Module):
    act: Act
    def __init__(self, a):
        super().__init__()
        self.act = a
        self.acts = nn.ModuleList([A1(), A2()])
    def forward(self, x: torch.Tensor, i: int) -> Tuple[torch.Tensor, str]:
        m: Act = self.acts[i]
        y = m.forward(x)
        return self.act.forward(y), self.act.name() + m.name()
class Ov(nn.Module):
    @torch.jit._overload_method
    def pick(self, x: int) -> int:
        pass
    @torch.jit._overload_method
    def pick(self, x: torch.Tensor) -> torch.Tensor:
        pass
    def pick(self, x):
        return x + 1
    def forward(self, t: torch.Tensor):
        return self.pick(t), self.pick(3)

@sec
def main():
    print(total("sq", 4), total("x", 4), total.schema)
    print(total.graph)
    print(total.code)
    err(pick, torch.jit.script(Sq)(2.0) if False else 1)
@sec
def mods():
    h = torch.jit.script(Holder(A1()))
    print(h)
    print(h(torch.ones(1), 0), h(torch.ones(1), 1))
    print(h.code)
    err(h, torch.ones(1), 2)
    err(h, torch.ones(1), -3)
    err(h, torch.ones(1), -1)
    h.act = torch.jit.script(A2())
    print(h(torch.ones(1), 1))
    err(lambda: setattr(h, "act", torch.jit.script(A3())))
    err(lambda: setattr(h, "act", A1()))
    err(torch.jit.script, Holder(A3()))
    print(h.graph)
    err(torch.jit.freeze, h.eval())
    import io
    b = io.BytesIO(); torch.jit.save(h, b); b.seek(0)
    l = torch.jit.load(b)
    print(l(torch.ones(1), 0))
    print(l.code)
@sec
def ov():
    s = torch.jit.script(Ov())
    print(s(torch.ones(1)))
    print(s.code)
    print(s.graph)
    print([n for n in dir(s) if "pick" in n])
