"""Attributes of loaded and scripted modules that hold one tensor are one object: optimizers know parameters by it."""

import io

import torch
from torch import nn


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(3, 2)
        self.o = nn.Linear(2, 3, bias=False)
        self.o.weight = self.e.weight
        self.direct = self.e.weight
        self.register_buffer("b", torch.ones(2))
        self.register_buffer("c", self.b)

    def forward(self, i):
        return self.o(self.e(i)) + self.direct.sum() + self.b.sum() + self.c.sum()


def again(module):
    buffer = io.BytesIO()
    torch.jit.save(module, buffer)
    buffer.seek(0)
    return torch.jit.load(buffer)


torch.manual_seed(0)
script = torch.jit.script(Tied())
for name, m in (("script", script), ("loaded", again(script))):
    print(name, m.o.weight is m.e.weight, m.direct is m.o.weight, m.b is m.c, m.b is m.b, next(m.parameters()) is m.direct)
    optimizer = torch.optim.Adam(m.parameters())
    m(torch.tensor([1])).sum().backward()
    optimizer.step()
    print(m.o.weight in optimizer.state, optimizer.state[m.e.weight]["step"], m.e.weight.grad is m.direct.grad)
    m.o.weight.tag = "seen"
    print(m.e.weight.tag, m.state_dict(keep_vars=True)["direct"] is m.direct)
x = torch.tensor([1.0], requires_grad=True)
y = x * 2
y.backward()
print(x.grad is x.grad)
