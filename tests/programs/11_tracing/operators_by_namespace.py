"""Operators called through `torch.ops` name no values: the reference's own code calls them."""

import torch


def packets(a):
    x = a * 2
    y = torch.ops.aten.relu(x)
    return torch.ops.aten.add(y, x)


def overloads(a):
    x = a * 2
    y = torch.ops.aten.relu.default(x)
    return y.sum() + x


for function in (packets, overloads):
    print(torch.jit.trace(function, torch.ones(2)).code)
