# Boxes, trees of points, rays and hulls: script classes that hold tuples, loops with several ways out, traces of one tensor twice.
import copy
import io
import math
import warnings
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


def section(f):
    print("==", f.__name__)
    try:
        f()
    except Exception as e:
        print("!!", type(e).__name__, str(e))
    return f


def tries(*fs):
    for f in fs:
        try:
            print(f())
        except Exception as e:
            print(type(e).__name__, e)


@torch.jit.script
class Box:
    def __init__(self, lo: Tuple[float, float], hi: Tuple[float, float]):
        self.lo, self.hi = lo, hi

    def area(self) -> float:
        return max(0., self.hi[0] - self.lo[0]) * max(0., self.hi[1] - self.lo[1])

    def inter(self, o: "Box") -> "Box":
        return Box((max(self.lo[0], o.lo[0]), max(self.lo[1], o.lo[1])), (min(self.hi[0], o.hi[0]), min(self.hi[1], o.hi[1])))

    def iou(self, o: "Box") -> float:
        i = self.inter(o).area()
        u = self.area() + o.area() - i
        return i / u if u > 0 else 0.

    def __str__(self) -> str:
        return f"[{self.lo[0]},{self.lo[1]} {self.hi[0]},{self.hi[1]}]"

    def __contains__(self, p: Tuple[float, float]) -> bool:
        return self.lo[0] <= p[0] and p[0] <= self.hi[0] and self.lo[1] <= p[1] <= self.hi[1]


@torch.jit.script
class QuadTree:
    def __init__(self, box: Box, cap: int):
        self.boxes = [box]
        self.cap = cap
        self.points: Dict[int, List[Tuple[float, float]]] = {}
        self.points[0] = torch.jit.annotate(List[Tuple[float, float]], [])
        self.kids: Dict[int, List[int]] = {}

    def split(self, n: int) -> None:
        b = self.boxes[n]
        mx, my = (b.lo[0] + b.hi[0]) / 2, (b.lo[1] + b.hi[1]) / 2
        ids: List[int] = []
        for lo, hi in [(b.lo, (mx, my)), ((mx, b.lo[1]), (b.hi[0], my)), ((b.lo[0], my), (mx, b.hi[1])), ((mx, my), b.hi)]:
            self.boxes.append(Box(lo, hi))
            ids.append(len(self.boxes) - 1)
            self.points[ids[-1]] = torch.jit.annotate(List[Tuple[float, float]], [])
        self.kids[n] = ids
        pts = self.points.pop(n)
        for p in pts:
            self.insert(p, n)

    def insert(self, p: Tuple[float, float], at: int) -> int:
        n = at
        while n in self.kids:
            found = -1
            for k in self.kids[n]:
                if found < 0 and p in self.boxes[k]:
                    found = k
            if found < 0:
                raise RuntimeError("outside " + str(self.boxes[n]))
            n = found
        self.points[n].append(p)
        return n


@section
def boxes():
    @torch.jit.script
    def f() -> Tuple[float, float, str, bool, int]:
        a, b = Box((0., 0.), (2., 2.)), Box((1., 1.), (3., 3.))
        return a.iou(b), a.inter(b).area(), str(a) + str(b), (1., 5.) in a, int(a.area())
    print(f(), f.graph, f.code)


@section
def tree():
    try:
        @torch.jit.script
        def build(ps: List[Tuple[float, float]]) -> Tuple[int, Dict[int, List[int]]]:
            t = QuadTree(Box((0., 0.), (1., 1.)), 2)
            for p in ps:
                n = t.insert(p, 0)
                if len(t.points[n]) > t.cap:
                    t.split(n)
            return len(t.boxes), t.kids
        print(build([(.1, .1), (.2, .2), (.9, .9), (.15, .1)]))
        print(build([(5., 5.)]))
        print(build([(.1, .1), (.2, .2), (.9, .9), (7., 7.)]))
    except Exception as e:
        print(type(e).__name__, e)


@section
def rays():
    @torch.jit.script
    def render(o: Tensor, d: Tensor, c: Tensor, r: float, steps: int = 16) -> Tuple[Tensor, Tensor, int]:
        t = torch.zeros(d.shape[:-1], dtype=d.dtype)
        hit = torch.zeros_like(t, dtype=torch.bool)
        used = 0
        for s in range(steps):
            p = o + t[..., None] * d
            dist = (p[..., None, :] - c).norm(p=2.0, dim=-1).amin(-1) - r
            hit |= dist < 1e-3
            t = torch.where(hit, t, t + dist)
            used += 1
            if bool(hit.all()) or bool((t > 10).all()):
                break
        return t, hit, used
    ys, xs = torch.meshgrid(torch.linspace(-1, 1, 3), torch.linspace(-1, 1, 4), indexing="ij")
    d = F.normalize(torch.stack([xs, ys, torch.full_like(xs, 2.)], -1), dim=-1)
    t, h, n = render(torch.tensor([0., 0., -3.]), d, torch.tensor([[0., 0., 0.], [1., 0., 1.]]), .6)
    print(t, h, n, render.code)
    g = torch.jit.trace(lambda a, b: torch.cross(a, b, dim=-1) / (a * b).sum(-1, keepdim=True), (d, d))
    print(g.graph, g.code)
    print(torch.jit.trace(lambda a, b, c: torch.stack([a, b]) + c, (d[0], d[1], d[0])).graph)
    z = d[0]; print(torch.jit.trace(lambda a, b, c: a * b + c, (z, z, z)).graph)


@section
def geom():
    q = F.normalize(torch.tensor([[1., .5, 0., .25], [0., 1., 1., 0.]]), dim=1)

    @torch.jit.script
    def rot(q: Tensor) -> Tensor:
        w, x, y, z = q.unbind(-1)
        return torch.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1).view(q.shape[:-1] + (3, 3)) if False else torch.stack([w, x, y, z], -1).reshape(list(q.shape[:-1]) + [2, 2])
    tries(lambda: rot(q), lambda: rot.code, lambda: torch.linalg.det(rot(q)))

    @torch.jit.script
    def hull(pts: List[Tuple[int, int]]) -> List[Tuple[int, int]]:
        ps = sorted(pts)
        if len(ps) <= 2:
            return ps
        out: List[Tuple[int, int]] = []
        for k in range(2):
            chain: List[Tuple[int, int]] = []
            for p in ps:
                while len(chain) >= 2:
                    a, b = chain[-2], chain[-1]
                    if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0:
                        break
                    chain.pop()
                chain.append(p)
            out.extend(chain[:-1])
            ps = ps[::-1]
        return out
    tries(lambda: hull([(0, 0), (2, 0), (1, 1), (2, 2), (0, 2), (1, 0)]), lambda: hull([(1, 1)]), lambda: hull.code, lambda: hull([(1, 2, 3)]))
