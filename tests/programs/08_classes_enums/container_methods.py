# __len__, __getitem__, __setitem__, __contains__ and __call__ of a script class
from typing import Dict, List

import torch


@torch.jit.script
class Grid:
    def __init__(self, width: int, height: int):
        self.width = width
        self.cells = [0] * (width * height)

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, place: int) -> int:
        return self.cells[place]

    def __setitem__(self, place: int, value: int) -> None:
        self.cells[place] = value

    def __contains__(self, value: int) -> bool:
        return value in self.cells

    def __call__(self, x: int, y: int) -> int:
        return self.cells[y * self.width + x]


@torch.jit.script
def use():
    g = Grid(3, 2)
    g[4] = 7
    g[0] = g[0] + 2
    return len(g), g[0], g(1, 1), 7 in g, 9 in g, g.cells


print(use())
