# hooks that return nothing, tuples, one value; chains of them; on top modules, submodules, called methods, with graphs
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

class S(nn.Module):
    def forward(self, x: torch.Tensor):
        return x + 1
class S2(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor):
        return x + y
class S0(nn.Module):
    def forward(self):
        return 3
def p_none(self, i: Tuple[torch.Tensor]) -> None:
    print("p_none")
def p_noann(self, i: Tuple[torch.Tensor]):
    print("p_noann")
def p_tuple(self, i: Tuple[torch.Tensor]) -> Tuple[torch.Tensor]:
    return (i[0] * 2,)
def p_one(self, i: Tuple[torch.Tensor]) -> torch.Tensor:
    return i[0] * 3
def p_opt(self, i: Tuple[torch.Tensor]) -> Optional[Tuple[torch.Tensor]]:
    return None
def h_none(self, i: Tuple[torch.Tensor], o: torch.Tensor) -> None:
    print("h_none")
def h_noann(self, i: Tuple[torch.Tensor], o: torch.Tensor):
    print("h_noann")
def h_same(self, i: Tuple[torch.Tensor], o: torch.Tensor) -> torch.Tensor:
    return o * 10 + i[0]
def h_int(self, i: Tuple[torch.Tensor], o: torch.Tensor) -> int:
    return int(o.sum())
def h_afterint(self, i: Tuple[torch.Tensor], o: int) -> str:
    return "s%d" % o
def p2(self, i: Tuple[torch.Tensor, torch.Tensor]) -> Tuple[torch.Tensor, torch.Tensor]:
    return i[1], i[0] * 2
def p2_none(self, i: Tuple[torch.Tensor, torch.Tensor]) -> None:
    pass
def p2_one(self, i: Tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    return i[0]
def h2(self, i: Tuple[torch.Tensor, torch.Tensor], o: torch.Tensor) -> Tuple[torch.Tensor, int]:
    return o, 1
def p0(self, i: Tuple[()]) -> None:
    print("p0")
def h0(self, i: Tuple[()], o: int) -> None:
    print("h0", o)
class T(nn.Module):
    def __init__(self, sub, pre, post, own=()):
        super().__init__()
        self.sub = sub
        for p in pre:
            self.sub.register_forward_pre_hook(p)
        for h in post:
            self.sub.register_forward_hook(h)
        for kind, h in own:
            (self.register_forward_pre_hook if kind == "p" else self.register_forward_hook)(h)
class T1(T):
    def forward(self, x: torch.Tensor):
        return self.sub(x)
class T2(T):
    def forward(self, x: torch.Tensor):
        return self.sub(x, x * 2)
class T0(T):
    def forward(self, x: torch.Tensor):
        return self.sub()
class TF(T):
    def forward(self, x: torch.Tensor):
        return self.sub.forward(x)
@sec
def main():
    x = torch.tensor([1.0, 2.0])
    for c, a in ((T1, (S(), [p_none], [])), (T1, (S(), [p_none, p_tuple], [])), (T1, (S(), [p_tuple], [h_none])), (T1, (S(), [p_one], [h_same])), (T1, (S(), [], [h_same, h_int, h_afterint])), (T1, (S(), [], [h_none, h_none])), (T1, (S(), [p_opt], [])), (T1, (S(), [p_noann], [])), (T1, (S(), [], [h_noann])), (T1, (S(), [], [h_afterint])), (T2, (S2(), [p2], [h2])), (T2, (S2(), [p2_none, p2], [])), (T2, (S2(), [p2_one], [])), (T0, (S0(), [p0], [h0])), (TF, (S(), [p_tuple], [h_same])), (T1, (S(), [], [], [("p", p_tuple), ("h", h_same)])), (T1, (S(), [p_none], [h_same], [("p", p_none), ("h", h_none)]))):
        print("##", c.__name__, [f.__name__ for f in a[1] + a[2]])
        s = js(c(*a))
        err(s, x)
        print(s.graph)
        print(s.code)
        print(s.inlined_graph)
    import io
    s = torch.jit.script(T1(S(), [p_none, p_tuple], [h_same]))
    b = io.BytesIO(); torch.jit.save(s, b); b.seek(0)
    l = torch.jit.load(b)
    print(l(x), l.code, l.sub(x))
