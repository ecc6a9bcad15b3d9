# class methods are called through instances, and sorting says which objects it cannot compare
from typing import List

import torch


@torch.jit.script
class Point:
    def __init__(self, x: int):
        self.x = x

    @classmethod
    def at(cls, x: int) -> "Point":
        return cls(x)

    @classmethod
    def doubled(cls, x: int):
        return cls(2 * x)

    def right(self):
        return self.at(self.x + 1)

    def __lt__(self, other: "Point") -> bool:
        return self.x < other.x


@torch.jit.script
def moved(x: int):
    point = Point(x)
    return point.at(x + 10).x, point.right().x, point.doubled(5).x


print(moved(3))
print(moved.graph)


class Later:
    def __init__(self, x: int):
        self.x = x

    def __lt__(self, other: "Later") -> bool:
        return self.x < other.x


def in_order(points: List[Later], reverse: bool):
    ordered = [p.x for p in sorted(points)]
    points.sort(reverse=reverse)
    return ordered, [p.x for p in points]


print(torch.jit.script(in_order)([Later(2), Later(1), Later(3)], True))


@torch.jit.script
def pairs():
    points = [(1, Later(12)), (1, Later(11))]
    points.sort()
    return points[0][1].x, points[1][1].x


print(pairs())


@torch.jit.script
class Plain:
    def __init__(self):
        self.x = 1


@torch.jit.script
class Wrong:
    def __init__(self):
        self.x = 1

    def __lt__(self, other: int) -> bool:
        return True


@torch.jit.script
def of_plain():
    things = [Plain()]
    things.sort()
    return things


@torch.jit.script
def of_wrong():
    return sorted([(1, Wrong()), (2, Wrong())])


for function in (of_plain, of_wrong):
    try:
        function()
    except RuntimeError as error:
        print(str(error).strip().split("\n")[-1].replace("(of Python compilation unit at: ", "<").split("<")[0])
