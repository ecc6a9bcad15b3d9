"""Gradients of each sample through attention and a layer of a transformer, against a loop."""
import torch, torch.nn as nn, torch.nn.functional as F
from torch.func import *
torch.manual_seed(0)
m = nn.MultiheadAttention(8, 2, batch_first=True)
p = {k: v.detach() for k, v in m.named_parameters()}
x = torch.randn(3, 5, 8)
def loss(p, x):
    return functional_call(m, p, (x.unsqueeze(0),) * 3)[0].pow(2).sum()
g = vmap(grad(loss), (None, 0))(p, x)
for k in g:
    w = torch.stack([torch.autograd.grad(m(x[i:i + 1], x[i:i + 1], x[i:i + 1])[0].pow(2).sum(), m.get_parameter(k))[0] for i in range(3)])
    print(k, g[k].shape, torch.allclose(g[k], w, atol=0.0001))
enc = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
p = {k: v.detach() for k, v in enc.named_parameters()}
def loss(p, x):
    return functional_call(enc, p, (x.unsqueeze(0),)).pow(2).sum()
g = vmap(grad(loss), (None, 0))(p, x)
for k in g:
    w = torch.stack([torch.autograd.grad(enc(x[i:i + 1]).pow(2).sum(), enc.get_parameter(k))[0] for i in range(3)])
    print(k, torch.allclose(g[k], w, atol=0.001))
