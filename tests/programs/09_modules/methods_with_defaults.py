# methods calling each other with defaults, exported first or last, static and class members, super calls, properties, inheritance
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

class Base(nn.Module):
    K = 3
    NAMES = ("a", "b")
    DT = torch.float64
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
    def forward(self, x: torch.Tensor, k: int = 2) -> torch.Tensor:
        return x * self.w * k
    def helper(self, x: torch.Tensor, a: float = 0.5, *, b: int = 1) -> torch.Tensor:
        return x * a + b
    @torch.jit.export
    def exp1(self, x: torch.Tensor, n: int = 7) -> torch.Tensor:
        return self.helper(x) + n
    @staticmethod
    def stat(x: int, y: int = 4) -> int:
        return x * y
    @property
    def size2(self) -> int:
        return self.w.numel() * 2
class Child(Base):
    def forward(self, x: torch.Tensor, k: int = 5) -> torch.Tensor:
        return super().forward(x, k) + self.helper(x, b=3) + self.size2
class Child2(Base):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.exp1(x) + self.stat(2)
class Child3(Base):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.exp1(x, 1) + Base.stat(2, 3) + self.K
    @torch.jit.export
    def exp2(self, x: torch.Tensor) -> torch.Tensor:
        return self.forward(x)
    @torch.jit.export
    def late(self, q: List[int] = [1, 2], o: Optional[int] = None, s: str = "z") -> str:
        return "%s %s" % (s, str(len(q)))
class Child4(Base):
    @torch.jit.export
    def one(self, x: torch.Tensor) -> torch.Tensor:
        return self.forward(x)
class Child5(Base):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.a(x)
    def a(self, x, n: int = 0) -> torch.Tensor:
        return x if n > 2 else self.b(x, n)
    def b(self, x, n: int = 1) -> torch.Tensor:
        return self.helper(x) + n
class Child6(Base):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.rec(x, 3)
    def rec(self, x: torch.Tensor, n: int) -> torch.Tensor:
        if n == 0:
            return x
        return self.rec(x, n - 1)
class Child7(Base):
    def forward(self, x):
        return self.untyped(x, 3)
    def untyped(self, x, n):
        return x + n
class Child8(Base):
    def forward(self, x):
        return x.to(self.DT) + self.K + len(self.NAMES)
class Child9(Base):
    @torch.jit.export
    def zz(self) -> int:
        return self.stat(3)
    @torch.jit.export
    def aa(self) -> str:
        return self.late2()
    def late2(self, s: str = "dflt") -> str:
        return s * 1 if False else s
    @property
    def bad(self):
        return self.nope
class Child10(Base):
    __jit_unused_properties__ = ["bad"]
    @property
    def bad(self):
        return [x for x in {1}]
    @property
    def rw(self) -> int:
        return 3
    @rw.setter
    def rw(self, v: int):
        self.w = self.w
    def forward(self, x):
        self.rw = 3
        return x + self.rw
@sec
def main():
    x = torch.ones(2)
    for c in (Base, Child, Child2, Child3, Child4, Child5, Child6, Child7, Child8, Child9, Child10):
        print("##", c.__name__)
        m = c()
        s = js(m)
        err(s, x)
        print(s.code)
        for n in ("exp1", "exp2", "late", "one", "zz", "aa", "helper", "stat", "size2"):
            if not isinstance(s, Bad) and hasattr(s, n):
                f = getattr(s, n)
                print(n, f.schema if hasattr(f, "schema") else f)
                if hasattr(f, "code"):
                    print(f.code)
    err(lambda: js(Child3()).late())
    err(lambda: js(Child3()).late(s="k", q=[]))
