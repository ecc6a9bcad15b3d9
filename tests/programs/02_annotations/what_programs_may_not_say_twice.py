# Classes and named tuples: attributes are annotated in __init__, a name stands for one named tuple, dataclasses take what is no field.
import collections
import dataclasses
from typing import Optional

import torch


def tell(work):
    try:
        print(work())
    except (RuntimeError, ValueError) as error:
        print(f"{type(error).__name__}: {str(error).strip().split(chr(10))[0]}"[:95])


def annotated():
    @torch.jit.script
    class Late:
        def __init__(self, x: int):
            self.x = x

        def set(self, value: int):
            for _ in range(3):
                self.x: int = value


tell(annotated)
First = collections.namedtuple("Pair", ["a", "b"])
Second = collections.namedtuple("Pair", ["c"])


@torch.jit.script
def first(x):
    return First(x, x).a


def second(x):
    return Second(x).c


print(first(torch.ones(1)))
tell(lambda: torch.jit.script(second))


@torch.jit.script
@dataclasses.dataclass
class Norm:
    x: float
    y: float
    power: dataclasses.InitVar[int] = 2
    value: Optional[float] = None

    def __post_init__(self, power: int):
        self.value = (self.x**power + self.y**power) ** (1 / power)


@torch.jit.script
def norm(x: float, y: float, power: int):
    return Norm(x, y, power).value, Norm(x, y).value


print(norm(3.0, 4.0, 1), Norm(3.0, 4.0, 2).value)


@dataclasses.dataclass
class OwnInit:
    def __init__(self, x: float = 0.5):
        self.x = x


torch.jit.script(OwnInit)


@torch.jit.script
def own():
    return OwnInit(2.0).x


print(own())


@torch.jit.script
class Holder:
    def __init__(self, value):
        self.value = value


class Holding(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.held = Holder("1")

    def forward(self):
        return self.held.value


try:
    torch.jit.script(Holding())
except RuntimeError as error:
    print(str(error)[-73:])
