# zeros in complex constants, displays of values that may be more than they are, getattr with defaults
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
class I:
    def go(self, x: int) -> int:
        pass
@torch.jit.script
class C1:
    def __init__(self, k: int):
        self.k = k
    def go(self, x: int) -> int:
        return x * self.k
@js
def a(o: Optional[int], u: Union[int, str], y: Any, i: I, t: torch.Tensor, ot: Optional[torch.Tensor], c: C1):
    a: List[Optional[int]] = [o, o]
    b: List[Union[int, str]] = [u]
    c1: List[Any] = [y]
    d: Dict[str, Optional[int]] = {"a": o}
    e: Dict[str, Union[int, str]] = {"a": u}
    f: Dict[str, Any] = {"a": y}
    g: List[Optional[torch.Tensor]] = [ot]
    h: List[Tuple[Optional[int], I]] = [(o, i)]
    k: List[C1] = [c]
    l: Dict[str, List[I]] = {"a": [i]}
    m: List[List[Optional[int]]] = [[o]]
    n: Tuple[I, List[I]] = (i, [i])
    p: List[Optional[List[int]]] = [[1]]
    q: Dict[str, C1] = {"x": c}
    r: List[Dict[str, I]] = [{"x": i}]
    return a, b, c1, d, e, f, g, h, k, l, m, n, p, q, r
print(a.code)
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = 3
    def forward(self, x):
        return getattr(self, "m", self.b(x))
    def b(self, x) -> int:
        return 3
class M2(M):
    def forward(self, x):
        return getattr(self, "q", self.b(x))
class M3(M):
    def forward(self, x):
        return getattr(self, "m", undefd)
class M4(M):
    def forward(self, x):
        return getattr(self, "m", None), getattr(self, "zz", None), getattr(self, "m", [1, 2]), hasattr(self, "m")
class M5(M):
    def forward(self, x):
        return getattr(self, "m"), getattr(x, "grad", None), getattr(x, "nope", 2)
for c in (M, M2, M3, M4, M5):
    s = js(c())
    print(s.graph)
@js
def z(x: float):
    print(-2.5j, -0j, complex(-0.0, -0.0), complex(x, -x), [-2.5j])
    return -2.5j, -0j, complex(-0.0, 1.0), complex(1.0, -0.0), 1 - 0j, -(1 + 0j), str(-2.5j), f"{-2.5j}", -0.0, -1.5j
print(z.graph)
print(z.code)
err(z, 0.0)
