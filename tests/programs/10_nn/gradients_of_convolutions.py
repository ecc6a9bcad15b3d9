# The gradients of convolutions as functions: torch.nn.grad.
import torch
from torch.nn import grad as G


def ramp(*size):
    return torch.arange(torch.Size(size).numel(), dtype=torch.double).view(size) / 4


def show(made):
    try:
        found = made()
        print(found.dtype, tuple(found.shape), found.requires_grad, found.flatten()[:8].tolist())
    except Exception as problem:
        print("<<" + type(problem).__name__ + ">>")
        print(str(problem).split("\n")[0])
        print("<<end>>")


show(lambda: G.conv1d_input((2, 2, 7), ramp(4, 1, 3), ramp(2, 4, 3), stride=2, groups=2))
show(lambda: G.conv1d_weight(ramp(2, 2, 7), [4, 1, 2], ramp(2, 4, 4), dilation=(3,), groups=2))
show(lambda: G.conv2d_input(torch.Size([1, 2, 4, 5]), ramp(3, 2, 2, 3), ramp(1, 3, 5, 3), padding=(1, 0)))
show(lambda: G.conv2d_weight(ramp(1, 2, 4, 5), (3, 2, 2, 3), ramp(1, 3, 2, 5), stride=(2, 1), padding=(0, 1)))
show(lambda: G.conv3d_input((1, 1, 3, 4, 3), ramp(1, 1, 2, 3, 2), ramp(1, 1, 2, 2, 2)))
show(lambda: G.conv3d_weight(ramp(1, 1, 3, 4, 3), (1, 1, 2, 3, 2), ramp(1, 1, 2, 2, 2)))

# They can be differentiated.
w, g = ramp(1, 1, 2, 2).requires_grad_(), ramp(1, 1, 2, 2).requires_grad_()
found = G.conv2d_input((1, 1, 3, 3), w, g)
found.pow(2).sum().backward()
print(found.requires_grad, w.grad.tolist(), g.grad.tolist())
with torch.no_grad():
    show(lambda: G.conv2d_input((1, 1, 3, 3), w, g))

x = ramp(1, 2, 5, 5).requires_grad_()
k = ramp(2, 2, 3, 3).requires_grad_()
y = torch.nn.functional.conv2d(x, k, stride=2, padding=1)
dx, dk = torch.autograd.grad(y, (x, k), torch.ones_like(y))
print(torch.equal(dx, G.conv2d_input(x.shape, k, torch.ones_like(y), 2, 1)), torch.equal(dk, G.conv2d_weight(x, k.shape, torch.ones_like(y), 2, 1)))

show(lambda: G.conv1d_input((1, 1, 5), ramp(1, 1, 2), ramp(1, 1, 5)))
show(lambda: G.conv2d_weight(ramp(1, 1, 4, 4), (1, 1, 2, 2), ramp(1, 1, 3, 2)))
show(lambda: G.conv1d_input((1, 5), ramp(1, 1, 2), ramp(1, 4)))
show(lambda: G.conv2d_input((1, 1, 4, 4), ramp(1, 1, 2, 2).float(), ramp(1, 1, 3, 3)))
