"""A parameter that is put into a loaded module stays one."""

import io

import torch
from torch import nn

stream = io.BytesIO()
torch.jit.save(torch.jit.script(nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1))), stream)
stream.seek(0)
loaded = torch.jit.load(stream)
first = getattr(loaded, "0")
print(type(first.bias).__name__, type(first.weight).__name__)
new = nn.Parameter(torch.zeros(1))
first.bias = new
print(type(first.bias).__name__, first.bias is new, [(k, type(v).__name__) for k, v in first.named_parameters()])
print([(k, type(v).__name__) for k, v in loaded.named_parameters()])
print(type(first.bias).__name__, type(first.weight).__name__, loaded.state_dict()["0.bias"])
for value in (torch.ones(1), torch.ones(1, requires_grad=True)):
    first.bias = value
    print(type(first.bias).__name__, first.bias, [(k, type(v).__name__) for k, v in first.named_parameters()])
scripted = torch.jit.script(nn.Linear(2, 1))
scripted.bias = nn.Parameter(torch.zeros(1))
print(type(scripted.bias).__name__)
scripted.bias = torch.ones(1)
print(type(scripted.bias).__name__, len(list(scripted.parameters())))
