"""Modules that wait for their sizes keep the device and the dtype that they were made for."""
import torch
import torch.nn as nn


def shown(module):
    return {name: (str(value.device), value.dtype) for name, value in module.state_dict().items()}


x = torch.ones(2, 3, 4, device="meta", dtype=torch.half)
for module in (
    nn.LazyLinear(3, device="meta", dtype=torch.half), nn.LazyBatchNorm1d(device="meta", dtype=torch.half),
    nn.LazyConv1d(1, 1, device="meta", dtype=torch.half),
):
    print(shown(module))
    print(module(x).shape, shown(module), [tuple(p.shape) for p in module.parameters()])
waits = nn.UninitializedParameter(device="meta", dtype=torch.half)
print(waits, waits.device, waits.dtype, waits.requires_grad)
waits.materialize((2,))
print(waits)
