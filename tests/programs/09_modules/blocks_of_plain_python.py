# Blocks of scripts that run as plain Python.
import torch
import torch.nn as nn


class Counts(nn.Module):
    def forward(self):
        a: int = 4
        b: int = 5
        c: int = 0
        with torch.jit._IgnoreContextManager(a="inp:int", b="inp:int", c="out:int"):
            found = [2 for i in range(a) if i > 2]
            c = found[0] + a + b
        return c


class Swaps(nn.Module):
    def forward(self):
        a: int = 4
        b: int = 5
        with torch.jit._IgnoreContextManager(a="out:int", b="out:int"):
            a = {"k": 7}.setdefault("k", 1)
            b = 9
        return a + b


class Says(nn.Module):
    def forward(self, x: int):
        if x > 1:
            with torch.jit._IgnoreContextManager(x="inp:int"):
                print("plain", type(x).__name__, x)
        return x


class Tensors(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 3

    def forward(self, a: torch.Tensor):
        a = a * self.scale
        with torch.jit._IgnoreContextManager(a="inp:torch.Tensor", n="out:float"):
            n = float(sum(v for v in a.flatten().tolist() if v > 3))
        return a, n


for module, *arguments in ((Counts(),), (Swaps(),), (Says(), 3), (Says(), 0), (Tensors(), torch.arange(4.0))):
    scripted = torch.jit.script(module)
    print(scripted(*arguments), module(*arguments))
    print(scripted.graph.str(False).count("^func_ignore_"))


def wrong(x):
    with torch.jit._IgnoreContextManager(x="inp"):
        y = x * 2
    return y


try:
    torch.jit.script(wrong)
except ValueError:
    print("refused")
