# Traces show convolutions of every kind as the general one, and glu halves a dimension of tensors without elements, too.
import warnings

import torch
from torch import nn
from torch.nn import functional as F

warnings.simplefilter("ignore")


def kinds(module, x):
    graph = torch.jit.trace(module, x).inlined_graph
    return [node.kind() for node in graph.nodes() if node.kind().startswith("aten::")]


torch.manual_seed(0)
flat, image, volume = torch.ones(1, 3, 8), torch.ones(1, 3, 6, 6), torch.ones(1, 3, 4, 4, 4)
for module, x in [
    (nn.Conv1d(3, 4, 3), flat),
    (nn.Conv2d(3, 4, 3, groups=1, dilation=2), image),
    (nn.Conv3d(3, 4, 3), volume),
    (nn.Conv1d(3, 4, 3, padding="same"), flat),
    (nn.Conv2d(3, 4, 3, padding="valid"), image),
    (nn.ConvTranspose1d(3, 4, 3), flat),
    (nn.ConvTranspose2d(3, 4, 3, stride=2, output_padding=1), image),
    (nn.ConvTranspose3d(3, 4, 3), volume),
]:
    traced = torch.jit.trace(module, x)
    same = torch.equal(traced(x + 1), module(x + 1))
    print(type(module).__name__, kinds(module, x), same, list(traced(x).shape))

for module in (nn.ConvTranspose2d(3, 4, 3), nn.Conv2d(3, 4, 3, padding="same")):
    graph = torch.jit.trace(module, image).inlined_graph
    results = [node.output() for node in graph.nodes() if "_convolution" in node.kind()]
    print([result.requires_grad() for result in results])

x = torch.empty(4, 6, device="meta")
print(F.glu(x).shape, F.glu(x, 0).shape, F.silu(x).shape)
