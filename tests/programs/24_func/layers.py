"""Gradients of each sample for many layers, against a loop; an ensemble of networks with statistics."""
import torch, torch.nn as nn, torch.nn.functional as F
from torch.func import *
torch.manual_seed(0)
def check(m, x, y=None, lossf=lambda o, y: o.pow(2).sum()):
    p = {k: v.detach() for k, v in m.named_parameters()}
    b = {k: v.detach().clone() for k, v in m.named_buffers()}
    g = vmap(grad(lambda p, x: lossf(functional_call(m, (p, b), (x.unsqueeze(0),)), None)), (None, 0), randomness='different')(p, x)
    ok = True
    for k in p:
        w = torch.stack([torch.autograd.grad(lossf(m(x[i:i + 1]), None), m.get_parameter(k))[0] for i in range(len(x))])
        ok = ok and torch.allclose(g[k], w, atol=0.001, rtol=0.001)
    print(type(m).__name__ if not isinstance(m, nn.Sequential) else [type(l).__name__ for l in m], ok)
X = torch.randn(3, 4, 8, 8)
check(nn.Conv2d(4, 6, 3, padding=1), X)
check(nn.Conv2d(4, 8, 3, groups=2, stride=2), X)
check(nn.Conv2d(4, 4, 3, groups=4, dilation=2, bias=False), X)
check(nn.Conv2d(4, 6, (1, 3), padding='same'), X)
check(nn.Conv2d(4, 6, 3, padding=1, padding_mode='circular'), X)
check(nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1), X)
check(nn.ConvTranspose2d(4, 6, 3, groups=2), X)
check(nn.Conv1d(4, 6, 3), X[..., 0])
check(nn.Conv3d(4, 2, 2), X.unsqueeze(-1).expand(-1, -1, -1, -1, 3))
check(nn.ConvTranspose1d(4, 2, 3), X[..., 0])
check(nn.GroupNorm(2, 4), X)
check(nn.InstanceNorm2d(4, affine=True), X)
check(nn.LayerNorm([4, 8, 8]), X)
check(nn.BatchNorm2d(4).eval(), X)
check(nn.BatchNorm2d(4, track_running_stats=False), X)
check(nn.RMSNorm(8), X)
check(nn.PReLU(4), X)
check(nn.PReLU(), X)
check(nn.Bilinear(8, 8, 3), X) if False else None
check(nn.Linear(8, 3), X)
check(nn.Linear(8, 3, bias=False), X[:, 0, 0])
check(nn.Sequential(nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4).eval(), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(36, 5), nn.LogSoftmax(-1)), X)
check(nn.Sequential(nn.Conv2d(4, 4, 3), nn.GELU(), nn.MaxPool2d(2), nn.Upsample(scale_factor=2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.0), nn.Linear(4, 5)), X)
check(nn.Sequential(nn.Embedding(10, 4), nn.Flatten(), nn.Linear(12, 2)), torch.randint(0, 10, (3, 3)))
check(nn.Sequential(nn.PixelShuffle(2), nn.Conv2d(1, 2, 3), nn.SiLU(), nn.ZeroPad2d(1), nn.ReflectionPad2d(1)), X)
check(nn.Sequential(nn.Unfold(2), nn.Linear(49, 2)), X)
from torch.nn.utils import parametrizations
check(parametrizations.weight_norm(nn.Linear(8, 3)), X)
ms = [nn.Sequential(nn.Conv2d(4, 3, 3), nn.BatchNorm2d(3), nn.ReLU(), nn.Flatten(), nn.Linear(108, 2)) for _ in range(3)]
p, b = stack_module_state(ms)
import copy
out = vmap(lambda p, b, x: functional_call(ms[0], (p, b), (x,)), (0, 0, None))(p, b, X)
ref = [copy.deepcopy(m) for m in ms]
want = torch.stack([m(X) for m in ref])
print(torch.allclose(out, want, atol=0.0001), b['1.running_mean'].shape, b['1.num_batches_tracked'])
l = F.cross_entropy(out.flatten(0, 1), torch.zeros(9).long())
l.backward()
print(p['0.weight'].grad.shape)
