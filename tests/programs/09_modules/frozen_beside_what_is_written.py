"""Freezing a module that writes to some of its lists and dictionaries: the others become constants of the code all the same."""
import re
from typing import Dict, List

import torch
from torch import Tensor, nn


class Counts(nn.Module):
    sizes: Dict[str, int]
    seen: Dict[str, int]
    ks: List[int]
    log: List[int]

    def __init__(self):
        super().__init__()
        self.sizes, self.seen, self.ks, self.log = {"a": 3, "b": 4}, {"_": 0}, [3, 4], [1]

    def forward(self, x: Dict[str, Tensor]) -> Tensor:
        self.seen["a"] = self.seen.get("a", 0) + x["a"].numel()
        self.log.append(self.ks[0])
        return x["a"].clamp(0, self.sizes["a"] - 1) * self.ks[1] + self.log[0]


class Other(Counts):
    def forward(self, x: Dict[str, Tensor]) -> Tensor:
        y = torch.ones(2)
        for k, n in self.sizes.items():
            if k in x:
                y = y + x[k] * n
                self.log.append(n)
        return y + len(self.log) + self.ks[-1]


def show(f):
    print(f.code)
    print(re.sub(r" # .*", "", str(f.graph)))


for make in (Counts, Other):
    m = torch.jit.script(make().eval())
    f = torch.jit.freeze(m)
    show(f)
    x = {"a": torch.tensor([1.0, 9.0]), "b": torch.ones(2)}
    print(f(x), f(x), m(x))
