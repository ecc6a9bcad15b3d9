# Named tuples that scripts return are of a class of their own; as attributes without annotation they are plain tuples
from typing import NamedTuple

import torch


class Point(NamedTuple):
    x: int
    y: float = 1.0


@torch.jit.script
def same(p: Point):
    return p


r = same(Point(1))
print(type(r).__name__, type(r).__module__, r, r._fields, isinstance(r, tuple), isinstance(r, Point), r == Point(1), r._replace(x=5))


@torch.jit.script
def largest(x):
    return torch.max(x, 0)


print(largest(torch.ones(2)), type(largest(torch.ones(2))))


class Unannotated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.p = Point(1, 2.0)
        self.l = [Point(3, 4.0)]

    def forward(self):
        return self.p, self.l


class Annotated(torch.nn.Module):
    p: Point

    def __init__(self):
        super().__init__()
        self.p = Point(1, 2.0)

    def forward(self):
        return self.p.x, self.p


for module in (Unannotated(), Annotated()):
    s = torch.jit.script(module)
    print(s.code, s(), type(s.p).__name__)
