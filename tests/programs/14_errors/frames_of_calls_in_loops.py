"""Which calls the traceback of a script shows, for calls in loops and branches with and without results."""
from typing import Dict, List

import torch
from torch import Tensor, nn


def run(name, f, *inputs):
    for _ in range(2):
        try:
            print(name, f(*inputs))
        except Exception as e:
            print(name, type(e).__name__, str(e))


@torch.jit.script
class Picks:
    def __init__(self, items: List[int]):
        self.items = items

    def one(self, i: int) -> int:
        return self.items[i]

    def all(self, ix: List[int]) -> List[int]:
        return [self.one(i) for i in ix]


@torch.jit.script
def branch(x: Tensor, k: int) -> Tensor:
    if k > 2:
        y = x.view(k)
    else:
        y = x + 1
    return y


@torch.jit.script
def listed(x: Tensor, n: int) -> List[Tensor]:
    out: List[Tensor] = []
    for i in range(n):
        out.append(branch(x, i))
    return out


@torch.jit.script
def carried(x: Tensor, n: int) -> Tensor:
    for i in range(n):
        x = branch(x, i)
    return x


@torch.jit.script
def removes(l: List[int], n: int) -> None:
    for i in range(n):
        if i > 2:
            l.remove(99)


@torch.jit.script
def raises(n: int) -> int:
    for i in range(n):
        if i == 2:
            raise ValueError("two")
    return n


@torch.jit.script
def counts(n: int) -> int:
    t = 0
    for i in range(n):
        t += raises(i)
    return t


class M(nn.Module):
    def step(self, x: Tensor, k: int) -> Tensor:
        return x.reshape(k, 2)

    def many(self, x: Tensor, ks: List[int]) -> List[Tensor]:
        return [self.step(x, k) for k in ks]

    def fill(self, x: Tensor, d: Dict[str, Tensor], ks: List[int]) -> int:
        for k in ks:
            d[str(k)] = self.step(x, k)
        return len(d)

    def forward(self, x: Tensor, mode: int) -> int:
        d: Dict[str, Tensor] = {}
        if mode == 0:
            return len(self.many(x, [1, 3]))
        elif mode == 1:
            return self.fill(x, d, [1, 5])
        elif mode == 2:
            for k in [1, 7]:
                d["a"] = self.step(x, k)
        elif mode == 3:
            return counts(5)
        elif mode == 4:
            return int(carried(x, 6).sum()) + len(listed(x, 1))
        return 0


@torch.jit.script
def of_class(n: int) -> List[int]:
    picks = Picks([1, 2, 3])
    return picks.all([0, n])


x = torch.ones(1, 2)
run("branch", branch, x, 3)
run("listed", listed, x, 5)
run("carried", carried, x, 5)
run("removes", removes, [1], 5)
run("raises", raises, 5)
run("counts", counts, 5)
run("of a class", of_class, 7)
m = torch.jit.script(M())
for mode in range(5):
    run(f"module {mode}", m, x, mode)
