# Gradients of extremes that are no numbers, and copies of tensors into themselves.
import torch

nan, inf = float("nan"), float("inf")
for name in ("max", "min", "median", "nanmedian"):
    for values in ([nan, 1.0, nan], [2.0, 3.0, 3.0], [inf, -inf, 0.0]):
        x = torch.tensor(values, requires_grad=True)
        getattr(x, name)().backward()
        print(name, values, x.grad)
for p in (inf, -inf):
    for values in ([nan, 1.0], [-3.0, 3.0], [0.0, 0.0]):
        x = torch.tensor(values, requires_grad=True)
        x.norm(p).backward()
        print(p, values, x.grad)


@torch.jit.script
def first(x):
    x[:] = x[0]
    return x


@torch.jit.script
def shifted(x):
    x[1:] = x[:-1]
    return x


def eager(x):
    x[:] = x[0]
    return x


for f in (first, shifted, eager, lambda x: x.copy_(x[0]), lambda x: x[0].copy_(x[0, 0]), lambda x: x.copy_(x[0].expand(3, 3))):
    try:
        print(f(torch.arange(9.0).reshape(3, 3)))
    except RuntimeError as e:
        print(str(e).splitlines()[-1])
