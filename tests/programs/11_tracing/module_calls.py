# submodules become methods: shared ones, several results, none, parameters read from where they are
import torch
import torch.nn as nn


class Pair(nn.Module):
    def forward(self, x):
        return x + 1, x * 2


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x * self.w


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pair = Pair()
        self.scale = Scale()
        self.nothing = nn.Identity()
        self.layers = nn.ModuleList([Scale(), Scale()])
        self.register_buffer("steps", torch.zeros(1))

    def forward(self, x):
        p, q = self.pair(x)
        y = self.scale(p) - self.scale(q)
        for layer in self.layers:
            y = layer(y)
        self.steps += 1
        return self.nothing(y) + self.scale.w, self.steps


net = Net()
traced = torch.jit.trace(net, torch.ones(2))
print(traced.graph)
print(traced.code)
print(traced.pair.graph, traced.scale.graph, traced.nothing.graph, getattr(traced.layers, "1").graph)
print(traced)
print([name for name, _ in traced.named_parameters()], [name for name, _ in traced.named_buffers()])
print(traced(torch.ones(2))[0].detach(), traced.steps, net.steps)
