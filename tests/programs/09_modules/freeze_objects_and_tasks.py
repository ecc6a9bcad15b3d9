"""Objects that are no modules become constants of frozen modules, and tasks are frozen with what starts them."""
import re

import torch
from torch import nn


@torch.jit.script
class Box:
    def __init__(self, x: int):
        self.x = x
        self.t = torch.ones(2)

    def get(self):
        return self.x

    def grow(self):
        self.x += 1


def show(module, *names):
    frozen = torch._C._freeze_module(torch.jit.script(module).eval()._c)
    print(type(module).__name__, [n for n in names if frozen.hasattr(n)])
    print(re.sub(" # .*", "", re.sub("0x[0-9a-f]+", "0x", str(frozen._get_method("forward").graph))))
    print(frozen.forward(torch.ones(2)))


class Reads(nn.Module):
    def __init__(self):
        super().__init__()
        self.o = Box(2)

    def forward(self, x):
        return x + self.o.get()


class Writes(Reads):
    def forward(self, x):
        self.o.grow()
        return x + self.o.get()


class WritesTensor(Reads):
    def forward(self, x):
        self.o.t.add_(1)
        return x + self.o.get() + self.o.t


class Tasks(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.ones(2)
        self.b = torch.ones(2)
        self.c = 3

    @torch.jit.export
    def left(self, x):
        return x * self.a + self.c

    @torch.jit.export
    def right(self, x):
        return x * self.b

    def forward(self, x):
        future = torch.jit._fork(self.left, self.b)
        y = self.right(self.a)
        return torch.jit._wait(future) + y


class Alone(Tasks):
    def forward(self, x):
        return torch.jit._wait(torch.jit._fork(self.left, x))


show(Reads(), "o")
show(Writes(), "o")
show(WritesTensor(), "o")
show(Tasks(), "a", "b", "c")
show(Alone(), "a", "b", "c")


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = 1
        self.b = 2

    def forward(self):
        return self.a + self.b

    @torch.jit.export
    def sum(self, n: int):
        return n + 40


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self):
        return 1


frozen = torch.jit.freeze(torch.jit.script(Outer()).eval(), preserved_attrs=["inner.a", "inner.sum"])._c
print(frozen.hasattr("inner"), frozen.inner.hasattr("a"), frozen.inner.hasattr("b"), frozen.inner._has_method("sum"))
print(frozen.inner.sum(3))
