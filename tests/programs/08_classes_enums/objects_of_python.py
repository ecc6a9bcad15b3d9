# objects of scripted classes cross the boundary by their attributes
from typing import Dict, List

import torch


@torch.jit.script
class Box:
    def __init__(self, n: int):
        self.n = n

    def twice(self) -> int:
        return self.n * 2


@torch.jit.script
def grow(b: Box) -> Box:
    b.n += 1
    return b


@torch.jit.script
def many(n: int) -> Dict[str, List[Box]]:
    return {str(i): [Box(j) for j in range(i)] for i in range(n)}


b = Box(3)
c = grow(b)
print(type(c) is Box, b.n, c.n, c.twice())
print({k: [x.n for x in v] for k, v in many(3).items()})
