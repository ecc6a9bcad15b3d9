"""Programs that read and write single elements of tensors, in loops."""

from typing import List, Tuple

import torch
from torch import Tensor


@torch.jit.script
def smooth(x: Tensor) -> Tensor:
    h, w = x.shape
    out = torch.zeros(h, w)
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            out[i, j] = (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1]) * 0.25
    return out


@torch.jit.script
def distance(a: Tensor, b: Tensor) -> Tuple[int, Tensor]:
    n, m = a.size(0), b.size(0)
    d = torch.zeros(n + 1, m + 1, dtype=torch.int64)
    for i in range(n + 1):
        d[i, 0] = i
    for j in range(m + 1):
        d[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if bool(a[i - 1] == b[j - 1]) else 1
            d[i, j] = min(int(d[i - 1, j]) + 1, int(d[i, j - 1]) + 1, int(d[i - 1, j - 1]) + cost)
    return int(d[n, m]), d


@torch.jit.script
def counted(x: Tensor, low: float) -> Tuple[int, float, Tensor]:
    n, total = 0, 0.0
    last = torch.zeros([])
    for i in range(x.size(0)):
        if x[i] > low and not bool(x[i] == 3):
            n += 1
            total += x[i].item()
            last = x[i] * 2 - 1
        x[-1 - i] += 1
    return n, total, last


@torch.jit.script
def beyond(x: Tensor, i: int) -> Tensor:
    x[0] = 5
    x[i] = x[i - 1] * 2
    return x


@torch.jit.script
def converted(f: Tensor, n: Tensor, b: Tensor) -> List[Tensor]:
    for i in range(2):
        f[i] = n[i]
        n[i] = f[i + 1]
        b[i] = n[i]
        f[i + 1] = True
        n[i + 1] = 2.75
    return [f, n, b]


x = torch.arange(20, dtype=torch.float32).reshape(4, 5) ** 1.5
print(smooth(x)[1:3, 1:4])
print(smooth(x.t())[1:4, 1:3])
print(smooth(x.double()))
cost, table = distance(torch.tensor([1, 2, 3, 4, 4]), torch.tensor([2, 3, 1, 4]))
print(cost, table)
print(counted(torch.tensor([1.0, 2.5, 3.0, 4.0]), 1.2))
print(counted(torch.tensor([1.0, 2.5, 3.0, 4.0], dtype=torch.float64), 1.2))
for i in (1, -1, 4, -4):
    try:
        print(beyond(torch.ones(3), i))
    except Exception as error:
        print(type(error).__name__, str(error).strip().split("\n")[-1])
print(converted(torch.tensor([0.5, 1.7, 2.0]), torch.tensor([7, 0, 1]), torch.tensor([True, False])))

# Gradients go through elements, too.
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


@torch.jit.script
def product(w: Tensor, n: int) -> Tensor:
    out = torch.ones([])
    for i in range(n):
        out = out * w[i] + w[0]
    return out


for n in range(3):
    (grad,) = torch.autograd.grad(product(w, 3), w)
    print(grad)
with torch.no_grad():
    print(product(w, 3).item())
with torch.inference_mode():
    y = torch.zeros(3)
    print(beyond(y, 2))
try:
    beyond(y, 2)
except RuntimeError as error:
    print("Inplace update to inference tensor" in str(error))
