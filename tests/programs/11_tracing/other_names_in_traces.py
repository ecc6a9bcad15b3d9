"""Operators by their other names: a trace has the one name in the graph of the whole, and what was called in those of modules."""
import torch


class Inner(torch.nn.Module):
    def forward(self, x):
        return x.multiply(3) + torch.absolute(x)


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        y = x.multiply(2)
        z = self.inner(y).clip(0, 1)
        return torch.concat([z, y.subtract(1)])


traced = torch.jit.trace(Outer(), torch.ones(2))
print(traced.graph)
print(traced.inner.graph)
print(traced.code)
print(traced.inner.code)
print(traced(torch.tensor([0.25, -4.0])))


def function(x, y):
    a = x.divide(y) + torch.true_divide(x, 2)
    b = torch.special.expit(a).negative()
    c = torch.arccos(b.clip(-1, 1)).multiply_(2)
    return c.greater_equal(0.5), torch.special.exp2(c), c.swapaxes(0, 1), torch.vstack([a, b])


print(torch.jit.trace(function, (torch.ones(2, 2), torch.full((2, 2), 2.0))).graph)
