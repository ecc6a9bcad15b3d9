# How functions and operators show themselves, in messages too.
import functools
import re

import torch
from torch.func import vmap


def shown(text):
    print(re.sub("0x[0-9a-f]+", "0x", str(text)))


for function in (
    torch.mul, torch.softmax, torch.conv2d, torch.linalg.inv, torch.special.erf, torch.fft.fft, torch.nn.functional.gelu,
    torch.nn.functional.linear, torch.Tensor.add, torch.ones(1).add, torch.ops.aten.mul, torch.ops.aten.mul.Tensor,
    functools.partial(torch.mul, 2),
):  # fmt: skip
    shown(repr(function))
print(torch.ops.aten.sin, torch.ops.aten.sin.default, f"{torch.ops.aten.add.Scalar}")


class Shown:
    def __call__(self, a):
        return a

    def __repr__(self):
        return "Shown"


for function in (torch.mul, functools.partial(torch.mul, 2), functools.partial(functools.partial(Shown(), 1)), functools.partial(len)):
    try:
        vmap(function, in_dims=4)(torch.ones(2))
    except ValueError as problem:
        print(problem)
