# A module that could not be compiled is in the way of the next of its type
import torch
from torch import nn


def attempt(module):
    try:
        print(type(torch.jit.script(module)).__name__)
    except Exception as error:
        print(type(error).__name__, str(error).strip().splitlines()[0].split(" (of")[0])


class Bad(nn.Module):
    def __init__(self, n=1):
        super().__init__()
        self.w = nn.Parameter(torch.ones(n))

    def forward(self, x):
        return self.missing


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Bad()

    def forward(self, x):
        return self.inner(x)


class Unreadable(nn.Module):
    def forward(self, x):
        try:
            return x
        except ValueError:
            return x


for module in (Bad(), Bad(), Bad(2), Outer(), Unreadable(), Unreadable()):
    attempt(module)
