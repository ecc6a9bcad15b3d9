# A module from an archive is part of a scripted module, of a traced one, and of what is saved again.
import io
import torch
from torch import nn


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 3

    def helper(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.k

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.helper(x)


class Outer(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x) * self.inner.k


def through_archive(module):
    buffer = io.BytesIO()
    torch.jit.save(module, buffer)
    buffer.seek(0)
    return torch.jit.load(buffer)


loaded = through_archive(torch.jit.script(Inner()))
whole = torch.jit.script(Outer(loaded))
print(whole(torch.ones(2)))
whole.inner.k = 5
print(loaded.k, whole(torch.ones(2)))
again = through_archive(torch.jit.script(nn.Sequential(loaded, nn.ReLU())))
print(again(torch.ones(2)))
traced = torch.jit.trace(nn.Sequential(loaded, nn.Tanh()), torch.zeros(1))
print(traced(torch.tensor([-5.0, -5.0])))
