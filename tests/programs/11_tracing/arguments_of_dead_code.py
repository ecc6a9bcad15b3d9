# What only dead code of a submodule reads still goes into its calls; calls by torch.ops are recorded as they were given.
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")


class Looks(nn.Module):
    def forward(self, x, mask):
        if bool((mask == 0).all()):
            return x + 1
        return x * 2


class Around(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Looks()

    def forward(self, x):
        return self.inner(x, x.abs() * 2)


traced = torch.jit.trace(Around(), torch.ones(2), check_trace=False)
print(traced.code)
print(traced.inner.code)

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True)
encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False).eval()


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = encoder

    def forward(self, x):
        mask = torch.full((x.size(1), x.size(1)), float("-inf")).triu(1)
        return self.encoder(x, mask=mask)


traced = torch.jit.trace(Masked(), torch.randn(2, 5, 8), check_trace=False)
print(traced.code)
print(traced.encoder.code)

aten = torch.ops.aten
print(torch.jit.trace(lambda x: x + aten.zeros([2]) + aten.ones_like(x) + torch.zeros(2) + x.new(2) * 0, torch.ones(2), check_trace=False).code)
shapes = torch.jit.trace(lambda x, y: torch.zeros(torch.broadcast_shapes(x.shape, y.shape)) + x, (torch.ones(3), torch.ones(2, 3)))
print(shapes.code)
print(shapes(torch.ones(4), torch.ones(5, 4)).shape)
