import math
import torch
from typing import Dict, List, Optional, Tuple


@torch.jit.script
class Vec:
    def __init__(self, x: float, y: float):
        self.x = x
        self.y = y

    def __add__(self, o: "Vec") -> "Vec":
        return Vec(self.x + o.x, self.y + o.y)

    def __sub__(self, o: "Vec") -> "Vec":
        return Vec(self.x - o.x, self.y - o.y)

    def __mul__(self, k: float) -> "Vec":
        return Vec(self.x * k, self.y * k)

    def __truediv__(self, k: float) -> "Vec":
        return Vec(self.x / k, self.y / k)

    def __neg__(self) -> "Vec":
        return Vec(-self.x, -self.y)

    def __eq__(self, o: "Vec") -> bool:
        return self.x == o.x and self.y == o.y

    def __ne__(self, o: "Vec") -> bool:
        return not (self == o)

    def __lt__(self, o: "Vec") -> bool:
        return self.norm() < o.norm()

    def __gt__(self, o: "Vec") -> bool:
        return self.norm() > o.norm()

    def __le__(self, o: "Vec") -> bool:
        return self.norm() <= o.norm()

    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> float:
        if i == 0 or i == -2:
            return self.x
        elif i == 1 or i == -1:
            return self.y
        raise IndexError("bad component " + str(i))

    def __setitem__(self, i: int, v: float):
        if i == 0:
            self.x = v
        else:
            self.y = v

    def __contains__(self, v: float) -> bool:
        return self.x == v or self.y == v

    def __str__(self) -> str:
        return "Vec(%s, %s)" % (str(self.x), str(self.y))

    def norm(self) -> float:
        return math.sqrt(self.x * self.x + self.y * self.y)

    def dot(self, o: "Vec") -> float:
        return self.x * o.x + self.y * o.y

    def scale_(self, k: float) -> "Vec":
        self.x *= k
        self.y *= k
        return self


@torch.jit.script
def arithmetic(a: float, b: float) -> List[float]:
    u = Vec(a, b)
    v = Vec(b, a)
    w = (u + v * 2.0 - u / 2.0)
    n = -w
    return [w.x, w.y, n[0], n[1], u.dot(v), w.norm()]


@torch.jit.script
def comparisons() -> List[bool]:
    u = Vec(1.0, 2.0)
    v = Vec(2.0, 1.0)
    w = Vec(3.0, 3.0)
    return [u == v, u != v, u == Vec(1.0, 2.0), u < w, w > u, u <= v, 1.0 in u, 9.0 in u]


@torch.jit.script
def identity() -> Tuple[bool, bool, bool]:
    u = Vec(1.0, 2.0)
    v = u
    w = Vec(1.0, 2.0)
    v[0] = 5.0
    return u is v, u is w, u is not w and u.x == 5.0


@torch.jit.script
def centroid(pts: List[Tuple[float, float]]) -> Tuple[float, float]:
    acc = Vec(0.0, 0.0)
    for x, y in pts:
        acc = acc + Vec(x, y)
    acc.scale_(1.0 / len(pts))
    return acc[0], acc[-1]


@torch.jit.script
def stringify(n: int) -> Tuple[List[str], int]:
    vs: List[Vec] = []
    for i in range(n):
        vs.append(Vec(float(i), 0.5))
    return [str(v) for v in vs], len(vs[0])


@torch.jit.script
def out_of_range(i: int) -> float:
    return Vec(1.0, 2.0)[i]


@torch.jit.script
def biggest(vs: List[Vec]) -> int:
    best = 0
    for i in range(len(vs)):
        if vs[i] > vs[best]:
            best = i
    return best


@torch.jit.script
def make(a: float) -> Vec:
    return Vec(a, -a)


@torch.jit.script
def mutate(v: Vec) -> float:
    v.scale_(10.0)
    return v.x


def attempt(name, f):
    try:
        print(name, "->", f())
    except Exception as e:
        ls = [x for x in str(e).split("\n") if x.strip()]
        print(name, type(e).__name__, "|", ls[0] if ls else "", "|", ls[-1] if ls else "")


attempt("arith", lambda: arithmetic(3.0, 4.0))
attempt("cmp", lambda: comparisons())
attempt("is", lambda: identity())
attempt("centroid", lambda: centroid([(0.0, 0.0), (2.0, 4.0), (4.0, 2.0)]))
attempt("str", lambda: stringify(3))
for i in (0, -1, 2):
    attempt("getitem %d" % i, lambda: out_of_range(i))
p = Vec(3.0, 4.0)
attempt("python", lambda: (type(p).__name__, p.x, p.norm(), len(p), p[1], 3.0 in p))
attempt("py add", lambda: (p + Vec(1.0, 1.0)).x)
attempt("py eq", lambda: (p == Vec(3.0, 4.0), p != Vec(3.0, 4.0), p < Vec(9.0, 9.0)))
attempt("py neg", lambda: (-p).y)
attempt("py str", lambda: str(p))
attempt("mutate", lambda: (mutate(p), p.x))
r = make(2.5)
attempt("returned", lambda: (r.x, r.y))
attempt("returned norm", lambda: round(r.norm(), 6))
attempt("returned op", lambda: (r * 2.0).x)
attempt("returned len", lambda: len(r))
attempt("returned item", lambda: r[0])
attempt("returned type", lambda: type(r).__name__)
attempt("biggest", lambda: biggest([Vec(1.0, 1.0), Vec(5.0, 0.0), Vec(2.0, 2.0)]))
attempt("feed back", lambda: (mutate(r), r.x))
attempt("set attr", lambda: (setattr(r, "x", 7.0), r.x))
attempt("set bad", lambda: (setattr(r, "x", "str"), r.x))
