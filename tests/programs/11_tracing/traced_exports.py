# exported methods of a traced module are scripts, the rest is traced
import torch
import torch.nn as nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.limit = 2

    def forward(self, x):
        return self.linear(x)

    @torch.jit.export
    def scaled(self, x: torch.Tensor, n: int) -> torch.Tensor:
        if n > self.limit:
            return self.linear(x) * n
        return x

    def plain(self, x):
        return x


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = Gate()

    def forward(self, x):
        return self.gate(x) + 1


t = torch.jit.trace(Gate(), torch.ones(1, 2))
print(type(t).__name__, hasattr(t, "scaled"), hasattr(t, "plain"), t.limit)
print(t.scaled.code)
print(t.scaled(torch.ones(2), 1))
o = torch.jit.trace(Outer(), torch.ones(1, 2))
print(type(o).__name__, type(o.gate).__name__, hasattr(o.gate, "scaled"))
print(o)
