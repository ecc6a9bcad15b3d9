"""A tensor from outside is itself the constant of a trace, and lists of other things than tensors are refused before any warning."""

import warnings

import torch

weight = torch.ones(3)
traced = torch.jit.trace(lambda x: x * weight, torch.ones(3))
weight.zero_()
print(traced(torch.ones(3)))


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(2)

    def forward(self, x):
        return x + self.scale


module = Scale()
traced = torch.jit.trace(module, torch.ones(2))
module.scale.fill_(7)
print(traced(torch.ones(2)))


def told(function):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            print(torch.jit.trace(function, (torch.ones(2),)) is not None)
        except RuntimeError as error:
            print(str(error).splitlines()[0][:60])
    for warning in caught:
        text = str(warning.message).strip()
        if "Encountering" in text:
            print("   warned:", text[:60])


for function in (lambda a: [1.0, 2.0], lambda a: [], lambda a: {}, lambda a: {"a": 1}, lambda a: (a, [a]), lambda a: [(a, a)]):
    told(function)
