"""A variable that only one branch assigns is read in neither at their end: numbers of what follows."""

import torch


def only_then(x: torch.Tensor, flag: bool):
    if flag:
        inner = x + 1
        print(inner)
    width = 3
    return x, width


def one_each(x: torch.Tensor, n: int):
    if n > 2:
        left = 5
    else:
        right = 6
    for i in range(n):
        x = x + 1
    return x, n


def in_loops(x: torch.Tensor, n: int):
    total = 0
    for i in range(n):
        if i % 2 == 0:
            step = i * 2
            total += step
        else:
            other = i
            total -= other
    return total, x


def shared(x: torch.Tensor, flag: bool):
    if flag:
        value = x
        extra = 1
    else:
        value = x + 1
    return value, 4


for function in (only_then, one_each, in_loops, shared):
    print(torch.jit.script(function).graph)
