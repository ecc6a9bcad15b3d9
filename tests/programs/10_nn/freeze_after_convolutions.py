"""Sums and products after a convolution go into its weights when it is frozen; linear layers can be transposed."""
import torch
from torch import nn

torch.manual_seed(0)


class After(nn.Module):
    def __init__(self, op, other, bias=True, layer=nn.Conv1d):
        super().__init__()
        self.conv = layer(2, 3, 1, bias=bias)
        self.other = other
        self.op = op

    def forward(self, x):
        return self.op(self.conv(x), self.other)


def calls(graph):
    return sorted(n.kind() for n in graph.nodes() if n.kind().startswith("aten::"))


for other in (2.0, 3, torch.full((1, 3, 1), 3.0), torch.ones(3), torch.ones(3, 1), torch.full((1, 1), 2.0),
              torch.full((1, 3, 1), 2, dtype=torch.int32), torch.tensor(2.0), torch.tensor(2, dtype=torch.float64),
              torch.ones(1, 3, 1, 1)):  # fmt: skip
    for op in (torch.add, torch.sub, torch.mul, torch.div):
        for bias in (True, False):
            module = After(op, other, bias).eval()
            x = torch.rand(1, 2, 3)
            for scripted in (torch.jit.script(module), torch.jit.trace(module, x)):
                frozen = torch.jit.freeze(scripted)
                same = torch.allclose(frozen(x), module(x), atol=1e-5)
                print(other.shape if isinstance(other, torch.Tensor) else other, op.__name__, calls(frozen.graph), same)


class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 1)
        self.norm = nn.BatchNorm2d(3)
        self.t = torch.full((1, 3, 1, 1), 2.0)

    def forward(self, x):
        return self.norm((self.conv(x) + self.t) * self.t)


chain = Chain().eval()
x = torch.rand(1, 2, 3, 3)
for scripted in (torch.jit.script(chain), torch.jit.trace(chain, x)):
    frozen = torch.jit.freeze(scripted)
    print(calls(frozen.graph), torch.allclose(frozen(x), chain(x), atol=1e-5))


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 1)
        self.t = torch.full((1, 3, 1, 1), 2.0)

    def forward(self, x):
        y = self.conv(x)
        return torch.add(y, self.t, alpha=2), self.t + self.conv(x), self.conv(x) - self.t


print(calls(torch.jit.freeze(torch.jit.script(Shared()).eval()).graph))


class Linear(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 3)
        self.b = nn.Linear(2, 3, bias=False)

    def forward(self, x, w):
        return self.a(x), self.b(x), torch.nn.functional.linear(x, w)


linear = Linear().eval()
x, w = torch.rand(4, 2), torch.rand(5, 2)
frozen = torch.jit.freeze(torch.jit.script(linear))
print(torch._C._jit_pass_transpose_frozen_linear(frozen.graph))
print(calls(frozen.graph), all(torch.allclose(a, b) for a, b in zip(frozen(x, w), linear(x, w))))
