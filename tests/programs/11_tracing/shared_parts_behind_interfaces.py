# A scripted part that two modules share is traced from both; what it holds is behind an interface, which has no attributes.
import torch
from torch import Tensor, nn


class Leaf(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.arange(3.0))
        self.register_buffer("shift", torch.ones(3))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight + self.shift


class Lower(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = Leaf()

    def forward(self, x: Tensor) -> Tensor:
        return self.leaf(x)


@torch.jit.interface
class LowerInterface(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        pass


class Middle(nn.Module):
    lower: LowerInterface

    def __init__(self):
        super().__init__()
        self.lower = Lower()

    def forward(self, x: Tensor) -> Tensor:
        return self.lower(x)


class Wrapper(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x) - 1


class Top(nn.Module):
    def __init__(self):
        super().__init__()
        shared = torch.jit.script(Middle())
        self.first = shared
        self.second = Wrapper(shared)
        self.third = Wrapper(Wrapper(shared))

    def forward(self, x):
        return self.first(x) + self.second(x) * self.third(x)


top = Top()
x = torch.tensor([1.0, 2.0, -3.0])
traced = torch.jit.trace(top, x)
print(traced(x), top(x))
print(sorted(name for name, _ in traced.named_parameters(remove_duplicate=False)))
print(sorted(name for name, _ in traced.named_buffers(remove_duplicate=False)))
top.first.lower.leaf.weight.data.fill_(2.0)
print(traced(x), top(x))
