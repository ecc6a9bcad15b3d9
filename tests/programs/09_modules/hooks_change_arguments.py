# hooks that replace arguments and results, on the module itself and on a submodule
import torch
import torch.nn as nn
from typing import Tuple


class Twice(nn.Module):
    def forward(self, x: torch.Tensor, n: int) -> torch.Tensor:
        return x * 2 + n


def more(self, args: Tuple[torch.Tensor, int]) -> Tuple[torch.Tensor, int]:
    return (args[0] + 1, args[1] + 10)


def watch(self, args: Tuple[torch.Tensor, int]) -> None:
    print("called with", args[1])


def negate(self, args: Tuple[torch.Tensor, int], out: torch.Tensor):
    return -out


def pack(self, args: Tuple[torch.Tensor, int], out: torch.Tensor) -> Tuple[torch.Tensor, int]:
    return out, args[1]


class Outer(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor):
        return self.inner(x, 3)


inner = Twice()
inner.register_forward_pre_hook(more)
inner.register_forward_pre_hook(watch)
inner.register_forward_hook(negate)
inner.register_forward_hook(pack)
print(inner(torch.ones(1), 3))
s = torch.jit.script(inner)
print(s(torch.ones(1), 3), s.forward(torch.ones(1), 3))
t = torch.jit.script(Outer(inner))
print(t(torch.ones(1)))
