"""Traced values have the names of the parameters of functions that are written in Python."""

import torch


def length(a):
    x = a * 2
    return torch.norm(x, dim=1), x.norm()


def distances(a):
    x = a * 2
    return torch.cdist(x, x)


def products(a):
    x = a * 2
    return torch.tensordot(x, x, 1)


def different(a):
    x = a * 2
    return torch.unique(x)


def unit(a):
    x = a * 2
    return torch.nn.functional.normalize(x)


for function in (length, distances, products, different, unit):
    print(torch.jit.trace(function, (torch.rand(4, 4),), check_trace=False).code)
