# What the language leaves out of a module is told before its submodules are compiled: methods first, then properties.
import torch
from torch import nn


def tried(module):
    try:
        torch.jit.script(module)
        print(type(module).__name__, "fine")
    except Exception as error:
        print(type(module).__name__, type(error).__name__, [line for line in str(error).splitlines() if line][0])


def child():
    class Child(nn.Module):
        def forward(self, x):
            return x.foo

    return Child()


class Unread(nn.Module):
    def forward(self, x):
        return (lambda y: y)(x)


class Property(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = child()

    @property
    def p(self):
        return list(filter(lambda x: x, [1]))

    def forward(self, x):
        return self.c(x)


class Forward(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = child()

    def forward(self, x):
        return (lambda y: y)(self.c(x))


class InOrder(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = child()
        self.d = Unread()

    def forward(self, x):
        return self.c(x)


class ChildFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = Unread()
        self.c = child()

    def forward(self, x):
        return x.bar


class Both(nn.Module):
    @property
    def p(self):
        return list(filter(lambda x: x, [1]))

    def forward(self, x):
        return [y for y in x if y]


class Exported(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = child()

    @property
    def p(self):
        return list(filter(lambda x: x, [1]))

    @torch.jit.export
    def q(self):
        return [y for y in [1] if y]

    def forward(self, x):
        return x


class Setter(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = child()

    @property
    def p(self):
        return 1

    @p.setter
    def p(self, v):
        self.x = [y for y in [1] if y]

    def forward(self, x):
        return x


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = Property()

    def forward(self, x):
        return [y for y in [1] if y]


for module in (Property(), Forward(), InOrder(), ChildFirst(), Both(), Exported(), Setter(), Inner()):
    tried(module)
