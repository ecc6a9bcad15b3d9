# Script classes with operators, properties and contexts, in functions, modules and modules of the old style.
import copy
import io
import math
import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


def section(f):
    print("==", f.__name__)
    try:
        f()
    except Exception as e:
        print("!!", type(e).__name__, str(e))
    return f


def tries(*fs):
    for f in fs:
        try:
            print(f())
        except Exception as e:
            print(type(e).__name__, e)


@torch.jit.script
class Vec:
    def __init__(self, x: float, y: float):
        self.x = x
        self.y = y

    def __add__(self, o: "Vec") -> "Vec":
        return Vec(self.x + o.x, self.y + o.y)

    def __sub__(self, o: "Vec") -> "Vec":
        return Vec(self.x - o.x, self.y - o.y)

    def __mul__(self, k: float) -> "Vec":
        return Vec(self.x * k, self.y * k)

    def __neg__(self) -> "Vec":
        return Vec(-self.x, -self.y)

    def __eq__(self, o: "Vec") -> bool:
        return self.x == o.x and self.y == o.y

    def __ne__(self, o: "Vec") -> bool:
        return not (self == o)

    def __lt__(self, o: "Vec") -> bool:
        return self.norm < o.norm

    def __str__(self) -> str:
        return "<{} {}>".format(self.x, self.y)

    def __getitem__(self, i: int) -> float:
        return self.x if i == 0 else self.y

    def __setitem__(self, i: int, v: float) -> None:
        if i == 0:
            self.x = v
        else:
            self.y = v

    def __call__(self, k: int) -> float:
        return self.x * k

    def __contains__(self, v: float) -> bool:
        return v == self.x or v == self.y

    def __len__(self) -> int:
        return 2

    @property
    def norm(self) -> float:
        return math.sqrt(self.x ** 2 + self.y ** 2)

    @property
    def scaled(self) -> float:
        return self.x * 10

    @scaled.setter
    def scaled(self, v: float) -> None:
        self.x = v / 10

    @staticmethod
    def unit() -> "Vec":
        return Vec(1.0, 0.0)


@torch.jit.script
class Stack(object):
    limit: int

    def __init__(self, limit: int = 3):
        self.limit = limit
        self.items: List[Tensor] = []
        self.names: Dict[int, str] = {}

    def push(self, x: Tensor, name: Optional[str] = None) -> int:
        if len(self.items) >= self.limit:
            raise IndexError("stack full: " + str(self.limit))
        self.items.append(x)
        if name is not None:
            self.names[len(self.items) - 1] = name
        return len(self.items)

    def pop(self) -> Tensor:
        return self.items.pop()

    def top(self) -> Optional[Tensor]:
        return None if len(self.items) == 0 else self.items[-1]


@torch.jit.script
class Timer:
    def __init__(self, log: List[str], name: str):
        self.log = log
        self.name = name

    def __enter__(self) -> int:
        self.log.append("enter " + self.name)
        return len(self.log)

    def __exit__(self, a: Any, b: Any, c: Any) -> None:
        self.log.append("exit " + self.name)


@section
def vec():
    @torch.jit.script
    def f(a: float, b: float):
        u, v = Vec(a, b), Vec.unit()
        w = (u + v) * 2.0 - -u
        w[1] = w[0] + 1
        w.scaled = 70.
        l = [w, u, v]
        l.sort()
        return w.x, w.y, u == Vec(a, b), u != v, u < w, str(w), w[0], w(3), 7.0 in w, len(w), w.norm, w.scaled, [i.x for i in l], sorted(l)[0].y
    print(f(1., 2.))
    print(f.code)
    print(f.graph)
    v = Vec(1., 2.)
    tries(lambda: v + Vec(1., 1.), lambda: (v + Vec(1., 1.)).x, lambda: v[1], lambda: v.norm, lambda: len(v), lambda: str(v)[:5], lambda: v == Vec(1., 2.), lambda: Vec("a", 1.), lambda: Vec(1.), lambda: setattr(v, "x", 5.) or v.x, lambda: setattr(v, "x", "s"), lambda: v.zz, lambda: Vec.unit().x, lambda: type(v))

    def bad1(v: Vec): return v.z
    def bad2(v: Vec): return v / 2
    def bad3(v: Vec): return Vec(1)
    def bad4(v: Vec): return v.norm()
    def bad5(v: Vec) -> float: return v
    def bad6(v: Vec): v.q = 1
    def bad7(v: Vec): v.x = "s"
    def bad8(v: Vec): return v > v
    def bad9(v: Vec): return Vec.x
    def bad10(v: Vec): return {v: 1}
    def bad11(v: Vec): return v if v else v
    def bad12(v: Optional[Vec]): return v.x
    for b in (bad1, bad2, bad3, bad4, bad5, bad6, bad7, bad8, bad9, bad10, bad11, bad12):
        tries(lambda: torch.jit.script(b).code)


@section
def stacks():
    @torch.jit.script
    def f(n: int) -> Tuple[int, Tensor, Dict[int, str], Optional[Tensor]]:
        s = Stack(limit=n)
        for i in range(n):
            s.push(torch.full([2], i), None if i % 2 == 0 else "n" + str(i))
        t = s.top()
        if t is not None:
            s.items[-1] = t + 1
        a = s.pop()
        return len(s.items), a, s.names, Stack().top()
    print(f(4)); print(f.code)

    @torch.jit.script
    def g() -> int:
        s = Stack(1)
        s.push(torch.ones(1))
        return s.push(torch.ones(1))
    tries(g, lambda: Stack(2).push(torch.ones(1), "x"), lambda: Stack(2).push("x"))


@section
def ctx():
    @torch.jit.script
    def f(x: int) -> List[str]:
        log: List[str] = []
        with Timer(log, "a") as n:
            log.append(str(n))
            with Timer(log, "b"):
                x += 1
                if x > 5:
                    log.append("big")
        return log
    print(f(1), f(9)); print(f.graph); print(f.code)

    @torch.jit.script
    def g(x: Tensor) -> Tuple[Tensor, bool]:
        with torch.no_grad():
            y = x * 2
        with torch.enable_grad():
            z = x * 3
        return y + z, y.requires_grad
    print(g(torch.ones(1, requires_grad=True)), g.code)


@section
def objects_in_modules():
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.v = Vec(1., 2.)
            self.vs = [Vec(3., 4.)]

        def forward(self, k: float) -> Tuple[float, int]:
            self.v = self.v + Vec(k, k)
            self.vs.append(self.v)
            return self.v.norm, len(self.vs)
    try:
        m = torch.jit.script(M())
        print(m(1.), m(1.), m.v.x)
        print(m.code)
        b = io.BytesIO(); torch.jit.save(m, b); b.seek(0); l = torch.jit.load(b)
        print(l(1.), l.v, l.code)
    except Exception as e:
        print(type(e).__name__, e)


class Old(torch.jit.ScriptModule):
    __constants__ = ["k", "mods"]

    def __init__(self, k):
        super().__init__()
        self.k = k
        self.w = nn.Parameter(torch.ones(2, 2))
        self.lst = torch.jit.Attribute([1, 2], List[int])
        self.mods = nn.ModuleList([nn.ReLU(), nn.Linear(2, 2)])
        with torch.no_grad():
            self.mods[1].weight.fill_(1.); self.mods[1].bias.fill_(0.)

    @torch.jit.script_method
    def forward(self, x):
        for m in self.mods:
            x = m(x)
        return self.helper(x) * self.k

    @torch.jit.script_method
    def helper(self, x):
        # type: (Tensor) -> Tensor
        return x @ self.w + self.lst[0]


@section
def old():
    m = Old(3)
    print(m, m(torch.ones(1, 2)), m.code, m.helper.graph, m.lst, type(m).__name__, isinstance(m, torch.jit.ScriptModule), isinstance(m, torch.jit.RecursiveScriptModule))
    b = io.BytesIO(); m.save(b) if False else torch.jit.save(m, b); b.seek(0); print(torch.jit.load(b)(torch.ones(1, 2)))
    tries(lambda: m.helper(3), lambda: Old("s")(torch.ones(1, 2)), lambda: setattr(m, "k", 4) or m(torch.ones(1, 2)))

    class Typed(nn.Module):
        def forward(self, x, y, z=None):
            # type: (Tensor, List[int], Optional[Dict[str, int]]) -> Tuple[Tensor, int]
            n = 0
            for i in y:  # type: int
                n += i
            if z is not None:
                n += z["a"]
            return x * n, n
    s = torch.jit.script(Typed()); print(s(torch.ones(1), [1, 2], {"a": 3}), s.code)

    class Multi(nn.Module):
        def forward(self,
                    x,  # type: Tensor
                    y,  # type: int
                    ):
            # type: (...) -> Tensor
            return x + y
    s = torch.jit.script(Multi()); print(s(torch.ones(1), 2), s.forward.schema)


@section
def inherit():
    class Base(nn.Module):
        K = 5
        names: List[str] = []

        def __init__(self):
            super().__init__()
            self.a = 1

        def forward(self, x):
            return self.step(x) + self.K

        def step(self, x):
            return x

        @torch.jit.export
        def info(self) -> Tuple[int, int]:
            return self.a, self.K

    class Mid(Base):
        def step(self, x):
            return x * 2

    class Leaf(Mid):
        K = 7

        def forward(self, x, n: int = 2):
            for _ in range(n):
                x = self.step(x)
            return x + self.K
    for C in (Base, Mid, Leaf):
        try:
            s = torch.jit.script(C()); print(s(torch.ones(1)), s.code, s.info())
        except Exception as e:
            print(type(e).__name__, e)
