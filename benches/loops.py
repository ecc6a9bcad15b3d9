"""Loops whose cost per iteration is measured, as TorchScript source; see run.py."""

import torch
from torch import Tensor


def scalar(n: int) -> int:
    """Integer arithmetic only: what one iteration of a plain loop costs."""
    a, b = 0, 1
    for _ in range(n):
        a, b = b, (a + b) % 1000007
    return a


def branches(n: int) -> int:
    """Comparisons and branches: the longest Collatz sequence from a start below `n`."""
    best = 0
    for start in range(1, n):
        value, length = start, 1
        while value != 1:
            if value % 2 == 0:
                value = value // 2
            else:
                value = 3 * value + 1
            length += 1
        best = max(best, length)
    return best


def floats(n: int) -> float:
    """Floating-point arithmetic: the logistic map."""
    x = 0.3
    for _ in range(n):
        x = 3.7 * x * (1.0 - x)
    return x


def elements(n: int) -> int:
    """Reading and writing elements of a list."""
    values = [0] * 1024
    for i in range(n):
        values[i % 1024] = values[(i + 7) % 1024] + i
    return values[0]


def tiny_op(n: int) -> Tensor:
    """One operator on a tensor of four elements: what a call costs apart from the work."""
    x = torch.zeros(4)
    y = torch.ones(4)
    for _ in range(n):
        x = x + y
    return x


def tiny_in_place(n: int) -> Tensor:
    """The same in place, without a new tensor."""
    x = torch.zeros(4)
    y = torch.ones(4)
    for _ in range(n):
        x.add_(y)
    return x
