# what dataclasses get without writing it: the initialiser with defaults, equality, order
from dataclasses import dataclass, field
from typing import List

import torch

def attempt(action):
    try:
        print(action())
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


@torch.jit.script
@dataclass
class Point:
    x: int
    y: float = 0.5


@torch.jit.script
@dataclass(order=True)
class Version:
    major: int
    minor: int = 0


@torch.jit.script
def points():
    p = Point(1)
    q = Point(y=2.5, x=3)
    p.x += 1
    return p.x, q.y, p == Point(2), p == q


@torch.jit.script
def versions():
    a, b = Version(1, 2), Version(1, 3)
    return a < b, a <= a, a > b, b >= a, a == b


@torch.jit.script
def given(p: Point) -> Point:
    return Point(p.x * 2, p.y)


print(points(), versions(), given(Point(4)))


def factory():
    @torch.jit.script
    @dataclass
    class Bag:
        items: List[int] = field(default_factory=list)


attempt(factory)
