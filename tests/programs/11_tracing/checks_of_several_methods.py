"""The check of a traced module records all its methods again for each; hooks of gradients and one tensor under two names are refused."""

import warnings

import torch
from torch import nn


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = {"forward": 0, "other": 0}

    def forward(self, x):
        self.calls["forward"] += 1
        return x + 1

    def other(self, x):
        self.calls["other"] += 1
        return x * 2


x = torch.ones(1, 2)
for methods in (["forward"], ["other"], ["forward", "other"]):
    for checked in (True, False):
        module = Counted()
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            torch.jit.trace_module(module, {name: x for name in methods}, check_trace=checked)
        print(methods, checked, module.calls, len(heard))
module = Counted()
torch.jit.trace_module(module, {"forward": x, "other": x}, check_inputs=[{"forward": x, "other": x}] * 2)
print(module.calls)


def refused(name, module):
    try:
        torch.jit.trace(module, x)
        print(name, "is traced")
    except ValueError as error:
        print(name, str(error).split("\n")[0])


hooked = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
hooked[1].register_full_backward_hook(lambda m, i, o: None)
refused("hook", hooked)
shared = nn.Sequential(nn.Linear(2, 2))
shared[0].again = shared[0].weight
refused("parameter", shared)
buffers = nn.Sequential(nn.Linear(2, 2))
buffers.register_buffer("a", torch.ones(1))
buffers.register_buffer("b", buffers.a)
refused("buffer", buffers)
tied = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
tied[1].weight = tied[0].weight
refused("tied", tied)
