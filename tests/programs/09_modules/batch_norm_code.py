# The code of a scripted batch normalisation, what it counts, and its means without a momentum.
import torch
import torch.nn as nn

torch.manual_seed(0)
layer = torch.jit.script(nn.BatchNorm1d(2))
print(layer.code)
x = torch.tensor([[1.0, 2.0], [3.0, 6.0]])
print(layer(x).detach())
print(layer.num_batches_tracked, layer.running_mean, layer.running_var)
layer.eval()
print(layer(x).detach())

mean = torch.jit.script(nn.BatchNorm1d(2, momentum=None))
mean(x)
mean(x + 1)
print(mean.num_batches_tracked, mean.running_mean, mean.running_var)

bare = torch.jit.script(nn.BatchNorm1d(2, affine=False, track_running_stats=False).eval())
print(bare(x))
