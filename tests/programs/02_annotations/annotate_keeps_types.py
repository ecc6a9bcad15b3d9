# torch.jit.annotate and torch.jit.Attribute
import torch
import torch.nn as nn
from typing import List, Dict, Optional, Tuple

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

def f():
    a = torch.jit.annotate(List[int], [])
    b = torch.jit.annotate(Optional[int], None)
    c = torch.jit.annotate(Dict[str, Tuple[int, int]], {})
    c["x"] = (1, 2)
    a.append(3)
    if b is None:
        b = 5
    return a, b, c
s = torch.jit.script(f)
print(s())
print(s.graph)
def bad():
    return torch.jit.annotate(int, "s")
err(torch.jit.script, bad)
def bad2(x):
    return torch.jit.annotate(List[str], [x])
err(torch.jit.script, bad2)
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = torch.jit.Attribute({}, Dict[str, int])
        self.o = torch.jit.Attribute(None, Optional[int])
    def forward(self, k: str) -> int:
        self.d[k] = len(self.d) + 1
        o = self.o
        if o is not None:
            return o
        return self.d[k]
m = torch.jit.script(M())
print(m("a"), m("b"), m("a"), m.d, m.o)
m.o = 77
print(m("z"), m.o)
