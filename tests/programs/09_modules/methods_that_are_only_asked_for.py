# Methods that are read or asked for and never called, static methods that use defaults, names after failures.

import io
from typing import List

import torch
from torch import nn


class Asks(nn.Module):
    def forward(self, x):
        if hasattr(self, "extra"):
            return x + 1
        return x

    def extra(self):
        return 3


class Binds(nn.Module):
    def forward(self, x):
        f = self.extra
        return x * 2

    def extra(self) -> List[int]:
        return [1, 2]


class Broken(nn.Module):
    def forward(self, x):
        if hasattr(self, "extra"):
            return x + 1
        return x

    def extra(self):
        return undefined_thing(3)


class Overloaded(nn.Module):
    __constants__ = ["kept"]

    def __init__(self):
        super().__init__()
        self.kept = 3

    def forward(self):
        return hasattr(self, "kept"), hasattr(self, "extra"), hasattr(self, "other"), hasattr(self, "nothing")

    def extra(self):
        return 1

    @torch.jit._overload_method
    def other(self, x: torch.Tensor): ...

    def other(self, x):
        return 2


for module in (Asks(), Binds(), Overloaded()):
    scripted = torch.jit.script(module)
    print(scripted.extra(), scripted.code)
    file = io.BytesIO()
    torch.jit.save(scripted, file)
    file.seek(0)
    loaded = torch.jit.load(file)
    print(loaded.extra(), sorted(loaded._method_names()) if hasattr(loaded, "_method_names") else "")
try:
    torch.jit.script(Broken())
except RuntimeError as error:
    print(error)


@torch.jit.script
class Vector:
    def __init__(self, x: float, y: float = 0.5):
        self.x = x
        self.y = y

    def scaled(self, by: float = 2.0) -> float:
        return self.x * by

    @staticmethod
    def unit() -> "Vector":
        return Vector(1.0)

    @staticmethod
    def twice(x: float) -> float:
        return Vector(x).scaled()


@torch.jit.script
def use() -> float:
    return Vector.unit().y + Vector.twice(3.0)


print(use())


def pair():
    def bad(x):
        return x.nope()

    def good(x):
        return x + 1

    return bad, good


for _ in range(3):
    bad, good = pair()
    try:
        torch.jit.script(bad)
    except RuntimeError as error:
        print("nope" in str(error))
    print(torch.jit.script(good).qualified_name)


def printed(x):
    return [print(i) for i in range(2)]


try:
    torch.jit.script(printed)
except RuntimeError as error:
    print(error)
