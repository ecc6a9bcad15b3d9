# a script class as a context manager; __exit__ runs on leaving
from typing import Any, List

import torch


@torch.jit.script
class Section:
    def __init__(self, name: str):
        self.name = name
        self.entered = 0

    def __enter__(self) -> int:
        self.entered += 1
        print("enter", self.name)
        return self.entered

    def __exit__(self, kind: Any, value: Any, trace: Any):
        print("exit", self.name)


@torch.jit.script
def nested(x: int) -> int:
    outer = Section("outer")
    with outer as a, Section("inner") as b:
        print("body", x)
        x += a + b
    with outer as a:
        x += a
    return x


print(nested(10))
