# Saved code that needs care: parameters behind `*`, dataclasses with defaults, tensors that share memory, forks.
import dataclasses
import io

import torch


def scaled(w: int, h: int = 2, *, scale: int) -> int:
    return w * h * scale


@torch.jit.script
@dataclasses.dataclass
class Point:
    x: int
    y: int = 4


def total(a: int) -> int:
    p = Point(a, 4)
    return p.x + p.y


class Shared(torch.nn.Module):
    def __init__(self):
        super().__init__()
        base = torch.arange(6.0)
        self.register_buffer("base", base)
        self.register_buffer("tail", base[4:])

    def forward(self, x: float) -> torch.Tensor:
        self.tail.fill_(x)
        return self.base


def slow(x: torch.Tensor, k: int) -> torch.Tensor:
    return x * k


def forked(x: torch.Tensor) -> torch.Tensor:
    first = torch.jit.fork(slow, x, 3)
    second = torch.jit.fork(slow, x + 1, 2)
    if bool(x.sum() > 1):
        return torch.jit.wait(first) + torch.jit.wait(second)
    return x


def again(what):
    buffer = io.BytesIO()
    torch.jit.save(what, buffer)
    buffer.seek(0)
    return torch.jit.load(buffer)


print(again(torch.jit.script(scaled))(3, 4, 5))
print(again(torch.jit.script(total))(3))
print(again(torch.jit.script(Shared()))(9.0))
print(again(torch.jit.script(forked))(torch.ones(2)))
