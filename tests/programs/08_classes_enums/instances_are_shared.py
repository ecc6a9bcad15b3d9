# instances in lists and dicts are references; identity and mutation through them
from typing import Dict, List

import torch


@torch.jit.script
class Counter:
    def __init__(self):
        self.n = 0

    def bump(self) -> "Counter":
        self.n += 1
        return self


@torch.jit.script
def bump(c: Counter) -> None:
    c.bump()


@torch.jit.script
def share():
    a = Counter()
    cs = [a, a, Counter()]
    d = {"first": a}
    for c in cs:
        bump(c)
    d["first"].bump().bump()
    return a.n, cs[2].n, cs[0] is cs[1], cs[0] is cs[2]


print(share())
