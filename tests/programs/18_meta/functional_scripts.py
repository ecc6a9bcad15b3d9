# norm, cdist, tensordot, unique as functions in scripts
import torch

def f(x):
    return torch.norm(x), torch.norm(x, 1.0, 0), torch.norm(x, p=2, dim=[0, 1], keepdim=True), torch.norm(x, "fro", dim=1)

def g(x):
    return torch.tensordot(x, x, 1), torch.tensordot(x, x, ([0], [1])), torch.cdist(x, x)

def h(x):
    u, inverse = torch.unique(x, return_inverse=True)
    v, counts = torch.unique_consecutive(x, return_counts=True)
    return torch.unique(x), u, inverse, v, counts

x = torch.tensor([[3.0, 4.0], [3.0, 3.0]])
for fn in (f, g, h):
    s = torch.jit.script(fn)
    print(s(x))
