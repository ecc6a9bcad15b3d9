"""A class whose method could not be read is scripted once its method is another, and frozen modules keep what may be written."""

import torch
from torch import nn


class Rows(nn.Module):
    @torch.jit.export
    def words(self, n: int) -> int:
        return n * 10

    def forward(self, n: int):
        for _ in range(n):
            pass
        else:
            n = 3
        return n


try:
    torch.jit.script(Rows())
except Exception as error:
    print(type(error).__name__, str(error).splitlines()[0])
Rows.forward = lambda self, n: n + 1
try:
    torch.jit.script(Rows())
except Exception as error:
    print(type(error).__name__)


def forward(self, n: int):
    return n + 2


Rows.forward = forward
print(torch.jit.script(Rows())(3), torch.jit.script(Rows()).words(2))


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(2))
        self.register_buffer("fixed", torch.zeros(2))
        self.steps = 1
        self.names = ["a"]

    def forward(self, x):
        if self.training:
            self.seen += x.shape[0]
            self.steps += 1
            self.names.append("b")
        return x + self.fixed


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Counting()

    def forward(self, x):
        return self.inner(x)


def kept(module):
    frozen = torch.jit.freeze(torch.jit.script(module.eval()))
    return [name for name in ("seen", "fixed", "steps", "names", "inner") if hasattr(frozen, name)], [n for n, _ in frozen.named_buffers()]


print(kept(Counting()), kept(Outer()), kept(nn.BatchNorm1d(2)))
scripted = torch.jit.script(nn.Linear(2, 2))
print(type(scripted.code_with_constants[1]).__name__, type(scripted.forward.code_with_constants[1]).__name__)
