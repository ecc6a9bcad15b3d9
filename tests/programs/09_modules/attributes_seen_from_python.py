# attributes of a scripted module read and set from Python
import copy

import torch
import torch.nn as nn
from typing import Dict, List, Optional

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


class Sub(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        return x + self.k


class M(nn.Module):
    log: List[int]
    limit: Optional[int]

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))
        self.register_buffer("b", torch.zeros(1))
        self.a = Sub(1)
        self.rate = 1.5
        self.log = []
        self.limit = None
        self.pair = (1, "x")
        self.table = torch.jit.Attribute({}, Dict[str, int])

    def forward(self, x):
        self.log.append(len(self.log))
        self.table["n"] = len(self.log)
        return self.a(x) * self.rate


m = M()
s = torch.jit.script(m)
print(s.w is m.w, s.b is m.b, s.a is s.a, s.rate, s.log, s.limit, s.pair, s.table)
s(torch.ones(1))
print(s.log, s.table, m.log)
s.rate = 2
s.limit = 7
s.pair = (5, "y")
s.a.k = 10
print(s.rate, s.limit, s.pair, s.a.k, m.a.k, s(torch.ones(1)))
err(setattr, s, "rate", "fast")
err(setattr, s, "limit", "x")
err(setattr, s, "pair", (1, 2))
err(setattr, s, "pair", (1,))
err(setattr, s, "log", ["a"])
err(setattr, s, "a", Sub(3))
err(setattr, s, "w", 3)
s.a = torch.jit.script(Sub(100))
print(s(torch.ones(1)))
err(lambda: s.nothing)
c = copy.deepcopy(s)
c(torch.ones(1))
print(c.w is s.w, len(c.log), len(s.log))
shallow = copy.copy(s)
print(shallow.w is s.w, shallow.rate)
