# Loops that compute a tensor anew in every round and never look at it: the last one is the result, and none where no round ran.
import torch


@torch.jit.script
def last(x: torch.Tensor, n: int) -> torch.Tensor:
    y = x
    for i in range(n):
        y = torch.zeros(4 + (i & 1)) + x[0]
    return y


@torch.jit.script
def inner(x: torch.Tensor, n: int):
    y = x
    s = 0.0
    z = x
    for i in range(n):
        s += i * 0.5
        for j in range(i):
            y = x[j % 2 : 3]
        z = torch.full([2], s)
    return y, z, s


@torch.jit.script
def until(x: torch.Tensor, limit: int):
    k = 0
    y = x
    while k < limit:
        k += 3
        y = torch.tensor(k)
    return y, k


@torch.jit.script
def written(x: torch.Tensor, n: int):
    y = x
    for i in range(n):
        y = x[i : i + 2].clone()
        x.add_(1)
    return y, x


@torch.jit.script
def breaking(x: torch.Tensor, n: int):
    y = x
    for i in range(n):
        y = x * i
        if i == 3:
            break
    return y


for n in (0, 1, 2, 5):
    x = torch.arange(4.0)
    print(n, last(x, n), inner(x, n), until(x, n), written(x.clone(), min(n, 2)), breaking(x, n))
