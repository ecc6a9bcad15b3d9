"""None where an operator wants a tensor: the message names the argument."""

import torch


def attempt(function, *arguments):
    try:
        print(function.__name__, torch.jit.script(function)(*arguments))
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line]
        print(function.__name__, type(error).__name__, lines[0], lines[-1])


def scaled(x: torch.Tensor, n: int):
    return x * n


def total(x):
    return x.sum()


def product(x, y):
    return x.mm(y)


def summed(x, y):
    return x + y



def first(x):
    return x[0]


def branch(x):
    if x.sum() > 0:
        return x
    return x + 1


attempt(scaled, None, 2)
attempt(total, None)
attempt(product, torch.ones(1, 1), None)
attempt(summed, None, torch.ones(1))
attempt(first, None)
attempt(branch, None)
