# equal instances share a type; other attribute types, constants or functions make another
import torch
import torch.nn as nn


class Scale(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        return x * self.k


class Fixed(nn.Module):
    __constants__ = ["k"]

    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, x):
        return x * self.k


class Calls(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, x):
        return self.f(x)


def double(x):
    return x * 2


def kind(module):
    return torch.jit.script(module).forward.schema


print(kind(Scale(1)), kind(Scale(2)), kind(Scale(2.5)), kind(Scale(3)))
print(kind(Fixed(1)), kind(Fixed(2)), kind(Fixed(1)))
print(kind(Calls(double)), kind(Calls(torch.relu)), kind(Calls(double)))
print(kind(nn.Sequential(Scale(1), Scale(2))), kind(nn.Sequential(Scale(3), Scale(4))), kind(nn.Sequential(Scale(1))))
