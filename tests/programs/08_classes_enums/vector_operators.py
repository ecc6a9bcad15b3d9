# arithmetic and comparison methods of a script class
import torch


@torch.jit.script
class Vec:
    def __init__(self, x: float, y: float):
        self.x = x
        self.y = y

    def __add__(self, other: "Vec") -> "Vec":
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other: "Vec") -> "Vec":
        return Vec(self.x - other.x, self.y - other.y)

    def __mul__(self, factor: float) -> "Vec":
        return Vec(self.x * factor, self.y * factor)

    def __neg__(self) -> "Vec":
        return Vec(-self.x, -self.y)

    def __eq__(self, other: "Vec") -> bool:
        return self.x == other.x and self.y == other.y

    def __lt__(self, other: "Vec") -> bool:
        return self.x * self.x + self.y * self.y < other.x * other.x + other.y * other.y

    def __str__(self) -> str:
        return f"({self.x}, {self.y})"


@torch.jit.script
def work(x: float):
    a, b = Vec(x, 2.0), Vec(1.0, -1.0)
    c = -(a + b * 2.0 - a)
    return str(c), c.x, c.y, a == Vec(x, 2.0), a == b, b < a


print(work(3.0))
