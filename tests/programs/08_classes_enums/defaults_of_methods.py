"""Defaults of functions and methods may be any expressions: Python has computed them."""
import enum
import math
from typing import List, Optional, Tuple

import torch

N = 3
PAIR = (1, 2)


class Color(enum.Enum):
    RED = 1


class Box:
    def __init__(self, x: float = math.log(62.5), d: torch.device = torch.device("cpu"), n: int = N):
        self.x = x
        self.d = d
        self.n = n

    def m(self, k: int = -N, t: Tuple[int, int] = PAIR) -> int:
        return k + t[1] + self.n

    @staticmethod
    def s(q: float = math.pi / 2) -> float:
        return q


class Mutable:
    def __init__(self, x: List[int] = [1, 2]):
        self.x = x


@torch.jit.script
def use():
    b = Box()
    return b.x, b.d, b.n, b.m(), Box.s(), b.m(1), b.m(t=(5, 6))


def f(
    c: Color = Color.RED, a: float = math.inf, t: torch.dtype = torch.float32, o: Optional[int] = N if N > 2 else None,
    p: Tuple[Tuple[int, float], str] = ((1, 2.0), "q"), z: complex = 1 + 2j,
):
    return c, a, t, o, p, z


print(use())
scripted = torch.jit.script(f)
print(scripted.schema)
print(scripted())
try:
    torch.jit.script(Mutable)
except RuntimeError as error:
    print(f"<<RuntimeError>>\n{error}\n<<end>>")
