# torch.tensor in scripts takes numbers, named tuples without types take tensors, futures hold something; lists of floats choose by whole parts.
import collections
from typing import List

import torch

Untyped = collections.namedtuple("Untyped", ["value"])


@torch.jit.script
def nothing():
    return torch.tensor([])


@torch.jit.script
def nested():
    return torch.tensor([[]])


@torch.jit.script
def tensors(x):
    return torch.tensor([x, x])


for function, arguments in ((nothing, ()), (nested, ()), (tensors, (torch.ones(1),))):
    try:
        function(*arguments)
    except RuntimeError as error:
        print(str(error)[str(error).index("RuntimeError") :])


def untyped():
    return Untyped(1)


def futures():
    return torch.jit.annotate(List[torch.jit.Future], [])


for function in (untyped, futures):
    try:
        torch.jit.script(function)
    except RuntimeError as error:
        print([line for line in str(error).split("\n") if line.strip()][:3])
x = torch.arange(12).view(6, 2)
print(x[[0.1, 1.2, 2.3]])


@torch.jit.script
def chosen(x):
    places = [0.1, 1.2]
    return x[places]


print(chosen(x))
