# attributes that scripts cannot have: the error comes where they are used
import torch
import torch.nn as nn

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


class Opaque:
    def __init__(self):
        self.f = lambda x: x


class M(nn.Module):
    k = 3

    def __init__(self):
        super().__init__()
        self.mixed = [1, "a"]
        self.empty = []
        self.void = {}
        self.group = {1, 2}
        self.unused = object()

    @torch.jit.export
    def fine(self):
        return 1


class Mixed(M):
    def forward(self):
        return self.mixed


class Empty(M):
    def forward(self):
        return self.empty


class Void(M):
    def forward(self):
        return self.void


class Group(M):
    def forward(self):
        return self.group


class OfClass(M):
    def forward(self):
        return self.k


class Missing(M):
    def forward(self):
        return self.missing


class Assigns(M):
    def forward(self):
        self.missing = 1


class WrongType(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 1

    def forward(self):
        self.n = "a"


class Constant(nn.Module):
    __constants__ = ["n"]

    def __init__(self, n):
        super().__init__()
        self.n = n

    def forward(self):
        return self.n


print(torch.jit.script(M()).fine())
for module in [Mixed(), Empty(), Void(), Group(), OfClass(), Missing(), Assigns(), WrongType()]:
    err(torch.jit.script, module)
for value in [(1, [2.5, "x"]), None, {"a": 1}, Opaque()]:
    err(lambda: torch.jit.script(Constant(value))())
