# nested targets, unpacking of lists, swapping, unpacking into subscripts and attributes
from typing import List, Tuple

import torch


class Cell:
    def __init__(self):
        self.left = 0
        self.right = 0


@torch.jit.script
def nested(p: Tuple[int, Tuple[str, float]]):
    a, (b, c) = p
    return c, b, a


@torch.jit.script
def rotate(xs: List[int]) -> List[int]:
    a, b, c = xs
    a, b, c = b, c, a
    return [a, b, c]


@torch.jit.script
def into_places(x: int):
    cell = Cell()
    xs = [0, 0]
    cell.left, xs[1] = x, x + 1
    cell.right, xs[0] = xs[1], cell.left
    return cell.left, cell.right, xs


print(nested((1, ("two", 3.0))))
print(rotate([1, 2, 3]))
print(into_places(5))
try:
    rotate([1, 2])
except RuntimeError as e:
    print("<<RuntimeError>>")
    print(e)
    print("<<end>>")
