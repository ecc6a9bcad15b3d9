# Final attributes and __constants__ are part of the type; branches on them are chosen when compiling
from typing import Final, List

import torch
import torch.nn as nn


class Window(nn.Module):
    __constants__ = ["scale"]
    width: Final[int]
    names: Final[List[str]]
    debug: Final[bool] = False

    def __init__(self):
        super().__init__()
        self.width = 3
        self.scale = 0.5
        self.names = ["low", "high"]

    def forward(self, x: int) -> str:
        if self.debug:
            return self.undefined_in_release(x)
        return self.names[0 if x < self.width else 1] + str(self.scale * x)


m = torch.jit.script(Window())
print(m(1), m(8))
print(m.width, m.scale, m.names)
print(m.graph.findNode("prim::If") is None)
