# A class that names itself in annotations while the name still means something else.
from collections import Counter

import torch


@torch.jit.script
class Counter:  # noqa: F811
    def __init__(self, start: int = 0):
        self.n = start

    def added(self, other: "Counter") -> "Counter":
        self.n += other.n
        return self

    def __eq__(self, other: "Counter") -> bool:
        return self.n == other.n


@torch.jit.script
def use(n: int):
    a, b = Counter(n), Counter(2)
    return a.added(b).n, a == b, a == Counter(n + 2)


print(use(3))
