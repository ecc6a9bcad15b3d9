import torch
from torch.nn.modules.utils import _pair, _quadruple, _single, _triple


def whole():
    return _single(1), _pair(2), _triple(3), _quadruple([1, 2, 3, 4])


def real():
    return _single(1.5), _pair(2.1)


print(torch.jit.script(whole)(), torch.jit.script(real)())


def product(x, y):
    return torch.einsum(x, [0], y, [1], [0, 1]) + torch.einsum("i,j->ij", x, y)


def total(x, y):
    return torch.einsum(x, [0], y, [0])


x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
scripted = torch.jit.script(product)
print(scripted.graph.str(False), scripted(x, y), torch.jit.script(total)(x, y))
print(torch.einsum(x, [0], y, [1], [1, 0]), torch.einsum(x, [30], y, [30]))


@torch.jit.ignore
def first_of(x, *args):
    return args[0] if args else x


def alone(x, y):
    return first_of(x)


def all_of_them(x, y):
    return first_of(x, y, x)


print(torch.jit.script(alone)(x, y), torch.jit.script(all_of_them)(x, y))
