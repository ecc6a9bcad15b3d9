"""What messages call the classes of values: those of C with their module, those of Python alone."""
import collections

import numpy as np
import torch


class Own:
    pass


values = [
    1.5, "text", None, {}, torch.nn.Parameter(torch.zeros(1)), torch.float32, torch.device("cpu"), torch.strided, torch.Size([1]),
    torch.Generator(), torch.nn.Linear(1, 1), Own(), Own, np.float32(1), np.zeros(1), torch.preserve_format, torch.finfo(torch.float32),
    range(3), torch.UntypedStorage(1), collections.OrderedDict(), collections.Counter(), torch.distributions.Normal(0.0, 1.0),
]


def attempt(call):
    try:
        print(type(call()).__name__)
    except Exception as error:
        print(f"<<{type(error).__name__}>>")
        print(str(error).split("\n")[0])
        print("<<end>>")


class Backward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return value


class Saved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(value)
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return grad


x = torch.ones(1, requires_grad=True)
for value in values:
    attempt(lambda: torch.add(value))
    attempt(lambda: torch.zeros(1).new(value, value))
    if not isinstance(value, torch.Tensor):
        attempt(lambda: Saved.apply(x))
        if value is not None:
            attempt(lambda: Backward.apply(x).sum().backward())
