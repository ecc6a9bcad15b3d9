# methods that are compiled together call one another without defaults; where the calls show in errors
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


class M1(nn.Module):
    def forward(self, x, k: int = 2):
        return x * k
    @torch.jit.export
    def a(self, x):
        return self.forward(x)
class M2(nn.Module):
    def forward(self, x):
        return self.a(x)
    @torch.jit.export
    def a(self, x, k: int = 2):
        return x * k
class M3(nn.Module):
    def forward(self, x):
        return self.a(x)
    @torch.jit.export
    def a(self, x):
        return self.b(x)
    @torch.jit.export
    def b(self, x, k: int = 2):
        return x * k
class M4(nn.Module):
    def forward(self, x):
        return self.h(x)
    def h(self, x, k: int = 2):
        return self.a(x, k) + self.a(x)
    @torch.jit.export
    def a(self, x, k: int = 2):
        return x * k
class M5(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = M2b()
    def forward(self, x):
        return self.m.a(x) + self.m(x)
class M2b(nn.Module):
    def forward(self, x, q: int = 3):
        return x
    @torch.jit.export
    def a(self, x, k: int = 2):
        return x * k
class M6(nn.Module):
    def forward(self, x, k: int = 2):
        return x * k
    @torch.jit.export
    def a(self, x):
        return self(x)
class M7(nn.Module):
    def forward(self, x):
        return self.bad(x, 3)
    @torch.jit.export
    def bad(self, x, k: int, *, z: int = 3):
        return x
class M8(nn.Module):
    def forward(self, x):
        return self.bad(x, 3 + 4)
    @torch.jit.export
    def bad(self, x, k: int):
        return self.worse(x, k)
    def worse(self, x, k: int):
        return undefd
class M9(nn.Module):
    def forward(self, x):
        return self.bad(x, [1])
    @torch.jit.export
    def bad(self, x, k: List[int] = [1]):
        return x + undefd
class M10(nn.Module):
    @property
    def p(self):
        return self.forward(torch.ones(1))
    def forward(self, x, k: int = 3):
        return x * k
class M11(nn.Module):
    def forward(self, x, k: int = 3):
        f = torch.jit.fork(self.a, x)
        return f
    @torch.jit.export
    def a(self, x, k: int = 3):
        return x * k
class M12(nn.Module):
    def forward(self, x, k: int = 3) -> torch.Tensor:
        return x if k == 0 else self.forward(x)
class M13(nn.Module):
    def forward(self, x):
        return self.h(x, 1) + self.h(x)
    def h(self, x, n: int = 3) -> torch.Tensor:
        return x if n == 0 else self.g(x)
    def g(self, x, n: int = 2) -> torch.Tensor:
        return self.h(x)
class M14(nn.Module):
    def forward(self, x):
        return self.a(x, None)
    @torch.jit.export
    def a(self, x, k: Optional[int] = 2, *, s: str = "a"):
        return x * k
for c in (M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11, M12, M13, M14):
    print(c.__name__)
    err(torch.jit.script, c())
