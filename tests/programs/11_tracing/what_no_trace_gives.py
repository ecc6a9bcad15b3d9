"""Results and arguments that no trace can have, and modules whose parameters wait for their sizes."""

import numpy
import torch
from torch import nn

VALUES = (
    numpy.float32(2.1), numpy.ones(2), {1}, range(3), nn.Linear(1, 1), torch.device("cpu"), torch.float32, 3, "text", (1, numpy.float32(2)),
    [numpy.float32(2)], {"a": numpy.float32(1)},
)
for value in VALUES:
    for call in (
        lambda: torch.jit.trace(lambda x: value, torch.ones(1)), lambda: torch.jit.trace(lambda x, y: x, (torch.ones(1), value)),
    ):
        try:
            print(call())
        except Exception as error:
            print(type(error).__name__, str(error)[:300])


class Waiting(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.LazyLinear(2)

    def forward(self, x):
        return self.layer(x)


for module in (nn.LazyLinear(2), Waiting()):
    try:
        torch.jit.trace(module, torch.ones(1, 2))
    except Exception as error:
        print(type(error).__name__, error)
