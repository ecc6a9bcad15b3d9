# Annotations of a class name what is visible where the class is scripted, or what its annotations mean in Python.
from typing import List

import torch


def local_names():
    @torch.jit.script
    class Left:
        def __init__(self):
            self.number = 99

        def __iadd__(self, x):
            # type: (int)
            self.number += x
            return self

    @torch.jit.script
    class Right:
        def __init__(self):
            self.number = 1

        def same(self, other):
            # type: (Left) -> bool
            return self.number == other.number

    @torch.jit.interface
    class Shown:
        def same(self, other):
            # type: (Left) -> bool
            pass

    def use():
        a = Left()
        a += 20
        return a.number, Right().same(a)

    print(torch.jit.script(use)())


def local_types():
    kind = torch.Tensor
    place = torch.device

    class Taking:
        def __init__(self):
            pass

        def f(self, x: kind, y: torch.device) -> kind:
            return x.to(device=y)

        def g(self, x: place) -> place:
            return x

        def h(self, xs: List[place]) -> place:
            return xs[0]

    def use():
        t = Taking()
        return t.f(torch.ones(1), torch.device("cpu")), t.g(torch.device("cpu")), t.h([torch.device("cpu")])

    print(torch.jit.script(use)())


local_names()
local_types()
