"""Sums and products with out=: they are computed in the dtype of the tensor that is given."""
import torch

x = torch.tensor([[1.5, 2.5], [0.3, 2.9]])


def made(*size):
    return [torch.empty(size, dtype=d) for d in (torch.int64, torch.float64, torch.complex64, torch.float16, torch.int32)]


def show(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(name, type(error).__name__, error)


for out in made(2):
    show("sum", lambda: torch.sum(x, 0, out=out))
    show("sum, keepdim", lambda: torch.sum(x, [1], True, out=out[:0]).shape)
    show("prod", lambda: torch.prod(x, 0, out=out))
    show("sum as float32", lambda: torch.sum(x, 0, dtype=torch.float32, out=out))
    show("sum of integers", lambda: torch.sum(x.long(), 0, out=out))
    show("prod of integers", lambda: torch.prod(x.long(), 0, out=out))
for out in made(2, 2):
    show("cumsum", lambda: torch.cumsum(x, 0, out=out))
    show("cumprod", lambda: torch.cumprod(x, 1, out=out))
    show("cumsum of integers", lambda: torch.cumsum(x.long(), 0, out=out))
    show("cumsum as float32", lambda: torch.cumsum(x, 0, dtype=torch.float32, out=out))


@torch.jit.script
def scripted(x: torch.Tensor, out: torch.Tensor):
    return torch.sum(x, [0], out=out), torch.cumsum(x, 0, out=torch.zeros(2, 2, dtype=torch.int64))


print(scripted(x, torch.zeros(2, dtype=torch.int64)))
