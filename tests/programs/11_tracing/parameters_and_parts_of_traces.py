# Parameters of traced modules are parameters; scripts go over traced and scripted submodules as over others
import copy
import io

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
        self.inner = nn.Linear(2, 1)
        self.register_buffer("b", torch.ones(1))
        nn.init.ones_(self.inner.weight)
        nn.init.zeros_(self.inner.bias)

    def forward(self, x):
        return self.inner(x * self.w) + self.b


traced = torch.jit.trace(Net(), torch.ones(2))
print(traced.w, traced.inner.weight, traced.b)
print([(n, type(p).__name__) for n, p in traced.named_parameters()], isinstance(traced.w, nn.Parameter))
print(traced.get_parameter("inner.weight"), type(traced.state_dict()["w"]).__name__)
traced(torch.ones(2)).sum().backward()
torch.optim.SGD(traced.parameters(), 0.5).step()
print(traced.w, traced.w.grad, traced(torch.ones(2)))
with torch.no_grad():
    traced.w = nn.Parameter(torch.zeros(2))
print(traced.w, traced(torch.ones(2)))
buffer = io.BytesIO()
torch.jit.save(traced, buffer)
buffer.seek(0)
loaded = torch.jit.load(buffer)
print(loaded.w, [type(p).__name__ for p in loaded.parameters()], type(copy.deepcopy(traced).w).__name__)


class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.traced = torch.jit.trace(nn.Sequential(nn.Tanh(), nn.ReLU()), torch.ones(1))
        self.scripted = torch.jit.script(nn.ReLU())
        self.plain = nn.Sigmoid()

    def forward(self, x):
        for name, _ in self.named_children():
            print(name)
        for part in self.children():
            x = part(x)
        return x


print(torch.jit.script(Parts())(torch.tensor([0.5, -1.0])))
