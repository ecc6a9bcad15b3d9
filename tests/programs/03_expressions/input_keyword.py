# Operators called with `input=`, ellipses before and after other indices, slices as objects, numbers from tensors.
import torch
from torch import Tensor, tensor
from typing import Tuple


@torch.jit.script
def named(x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    return torch.sum(input=x, dim=0), torch.add(input=x, other=x), torch.where(condition=x > 2, input=x, other=-x)


@torch.jit.script
def indexed(x: Tensor, t: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    return x[..., 1:2, None], x[..., None, 0], x[t, ..., 0], x[..., slice(0, 4, 2), slice(1, None)]


@torch.jit.script
def counted(x: Tensor):
    total = 0
    for i in range(x.size(0)):
        total += x[i].sum().to(torch.int64)
    return total


@torch.jit.script
def either(a: int, b: int) -> Tuple[int, int]:
    c = a or b
    return a, c


@torch.jit.script
def checked(x: Tensor, n: int) -> Tensor:
    torch._assert(x.size(0) == n, "another size")
    return x.type(torch.float64).fill_diagonal_(7.0) + tensor([n])


x = torch.arange(24.0).view(2, 3, 4)
print(named(x))
print(indexed(x, torch.tensor([1])))
print(counted(x), counted.graph)
print(either(0, 5), either.code)
print(checked(x[0], 3))
try:
    checked(x[0], 2)
except torch.jit.Error as error:
    print(str(error).strip().splitlines()[-1])


@torch.jit.script
def receivers(x: Tensor, d: dict[str, Tensor], n: bool):
    d["a"] += x
    return x.where(x > 1, -x), x.polygamma(2), d, n is True, n is not False


y = torch.tensor([1.0, 2.0, 3.0])
old = y.clone()
print(receivers(y, {"a": old}, True), old)
print(receivers.code)
