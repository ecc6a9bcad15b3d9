"""Fields of dataclasses whose types are written as strings, and objects that scripts refuse to call."""
import functools
import operator
from dataclasses import dataclass
from typing import Dict, List, Optional

import torch


@dataclass
class Step:
    at: "int"
    name: str = "s"
    sizes: Optional[List[int]] = None

    def __post_init__(self):
        self.at = self.at * 2

    def moved(self, by: int) -> "Step":
        return Step(self.at + by, self.name, self.sizes)


@dataclass(order=True)
class Range:
    low: "int"
    high: "float" = 1.5


@dataclass(order=True)
class Pair:
    first: "int"
    second: Optional[int]


def told(name, make):
    try:
        print(name, make())
    except Exception as e:
        print(name, type(e).__name__, str(e).strip().split("\n")[0])


script_step = torch.jit.script(Step)
told("step", lambda: (script_step(4).at, script_step(4).sizes))
torch.jit.script(Pair)


@torch.jit.script
def use(n: int) -> str:
    s = Step(n)
    t = s.moved(3)
    sizes = t.sizes
    if sizes is None:
        sizes = [n]
    return f"{s.at} {t.at} {t.name} {sizes} {s == t}"


@torch.jit.script
def compare(a: int, b: Optional[int]) -> List[bool]:
    p = Pair(a, b)
    q = Pair(2, 5)
    return [p == q, p < q, p >= q]


told("use", lambda: use(5))
told("compare", lambda: compare(2, 5))
told("compare more", lambda: compare(3, 1))
told("compare None", lambda: compare(2, None))
told("range", lambda: torch.jit.script(Range)(1).high)


def local():
    @dataclass
    class Inner:
        v: "int" = 7

    made = torch.jit.script(Inner)
    return made().v


told("local", local)


class Slots:
    __slots__ = ()

    def __call__(self, x):
        return x


slots, first, least = Slots(), operator.itemgetter(0), functools.partial(min, 3)


def calls_slots(x: torch.Tensor):
    return slots(x)


def calls_getter(x: torch.Tensor):
    return first(x)


def names_getter(x: torch.Tensor):
    kept = first
    return x


def only_in_python(x: torch.Tensor):
    if torch.jit.is_scripting():
        return x
    return first(x)


for function in (calls_slots, calls_getter, names_getter, only_in_python):
    told(function.__name__, lambda: torch.jit.script(function)(torch.ones(1)))
