# Forked tasks in traced graphs: numbers of values, captures, nesting.

import torch
from torch import nn


def double(x):
    return x * 2


def chain(x):
    return (x * 2 + 1).relu()


def both(x, y):
    return x + y, x - y


def nested(x):
    return torch.jit.wait(torch.jit.fork(double, x)) + 1


def one(x):
    return torch.jit.wait(torch.jit.fork(double, x))


def two(x):
    a = torch.jit.fork(double, x)
    b = torch.jit.fork(chain, x)
    return torch.jit.wait(a) + torch.jit.wait(b)


def between(x, y):
    z = x + y
    a = torch.jit.fork(chain, z)
    w = z * 3
    return torch.jit.wait(a) + w


def pairs(x, y):
    p, q = torch.jit.wait(torch.jit.fork(both, x, y))
    return p * q


def inside(x):
    return torch.jit.wait(torch.jit.fork(nested, x))


def captures(x, y):
    z = x + y

    def inner(a):
        return a + z

    return torch.jit.wait(torch.jit.fork(inner, x))


class Module(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return torch.jit.wait(torch.jit.fork(self.layer, x)) + x


x, y = torch.rand(3, 4), torch.rand(3, 4)
for function, arguments in (one, 1), (two, 1), (between, 2), (pairs, 2), (inside, 1), (captures, 2), (Module(), 1):
    traced = torch.jit.trace(function, (x, y)[:arguments], check_trace=False)
    print(traced.graph)
    print(torch.allclose(traced(*(x, y)[:arguments]), function(*(x, y)[:arguments])))
