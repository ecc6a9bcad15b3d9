# every way out of a with statement leaves its context managers, innermost first
from typing import Any

import torch


class Noted:
    def __init__(self, name: str):
        self.name = name

    def __enter__(self):
        print("enter", self.name)
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any):
        print("exit", self.name)


@torch.jit.script
def returns(x: int) -> int:
    with Noted("a"):
        if x > 0:
            return 1
        print("inside")
    return 2


@torch.jit.script
def nested(x: int) -> int:
    with Noted("a") as a, Noted("b"):
        if x > 0:
            return len(a.name)
    return 0


@torch.jit.script
def loops() -> int:
    n = 0
    for i in range(5):
        with Noted("loop"):
            if i == 1:
                continue
            if i == 2:
                break
        n += 1
    return n


print(returns(1), returns(-1))
print(nested(1), nested(-1))
print(loops())
