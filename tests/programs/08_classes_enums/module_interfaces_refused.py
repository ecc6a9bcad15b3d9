# module interfaces: swapping submodules, methods, errors
import torch
import torch.nn as nn
from typing import List

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
class Op(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass
class Add(nn.Module):
    def __init__(self, k: int):
        super().__init__()
        self.k = k
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.k
class Mul(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2
class Bad(nn.Module):
    def forward(self, x: torch.Tensor) -> int:
        return 1
class Holder(nn.Module):
    op: Op
    def __init__(self, op):
        super().__init__()
        self.op = op
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.op(x) - 1
m = torch.jit.script(Holder(Add(3)))
print(m(torch.ones(1)))
print(m.graph)
m.op = torch.jit.script(Mul())
print(m(torch.ones(1)))
err(lambda: torch.jit.script(Holder(Bad())))
def swap():
    m.op = torch.jit.script(Bad())
err(swap)
class Many(nn.Module):
    def __init__(self):
        super().__init__()
        self.ops = nn.ModuleList([Add(1), Mul(), Add(2)])
    def forward(self, x: torch.Tensor, i: int) -> torch.Tensor:
        op: Op = self.ops[i]
        return op.forward(x)
m = torch.jit.script(Many())
err(lambda: m(torch.ones(1), 0))
err(lambda: m(torch.ones(1), 1))
err(lambda: m(torch.ones(1), -1))
err(m, torch.ones(1), 7)
class Dct(nn.Module):
    def __init__(self):
        super().__init__()
        self.ops = nn.ModuleDict({"a": Add(1), "m": Mul()})
    def forward(self, x: torch.Tensor, k: str) -> torch.Tensor:
        op: Op = self.ops[k]
        return op.forward(x)
m = torch.jit.script(Dct())
print(m(torch.ones(1), "a"), m(torch.ones(1), "m"))
err(m, torch.ones(1), "zz")
