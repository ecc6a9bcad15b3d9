# Scripted modules in Python: texts that document methods, ignored methods of an instance, kept containers, types that are not shared.
import types

import torch


class Marked(torch.jit.ScriptModule):
    def __init__(self):
        super().__init__()
        self.parts = torch.nn.ModuleList([torch.nn.Linear(2, 2), torch.nn.ReLU()])

    @torch.jit.script_method
    def forward(self, x):
        """What the method does."""
        for part in self.parts:
            x = part(x)
        return x

    @torch.jit.script_method
    def silent(self, x):
        return x


m = Marked()
print(m.forward.__doc__, m.silent.__doc__)
print([type(part).__name__ for part in m.parts], len(m.parts))
try:
    list(m)
except TypeError as error:
    print(error)


class Plain(torch.nn.Module):
    __jit_ignored_attributes__ = ["never", "one"]

    def __init__(self):
        super().__init__()
        self.count = 3

    def forward(self, x):
        return x

    @property
    def never(self):
        raise ValueError("is not asked")

    @property
    def one(self):
        return 1

    @torch.jit.ignore
    def left(self):
        return type(self.one).__name__

    @torch.jit.ignore
    def replaced(self):
        return "old"


@torch.jit.ignore
def replacement(self):
    return "new"


p = Plain()
p.replaced = types.MethodType(replacement, p)
s = torch.jit.script(p)
print(s.left(), s.replaced())
first = torch.jit.script(Plain())
Plain.__jit_ignored_attributes__ = ["never", "one", "count"]
second = torch.jit.script(Plain())
print(first._c._type() == second._c._type(), first._c.hasattr("count"), second._c.hasattr("count"))


class With(torch.nn.Module):
    @torch.jit.script_method
    def forward(self, x):
        return x


print(torch.jit.script(With())(torch.ones(1)))
recursive = torch.jit._recursive
apart = [recursive.create_script_module(Plain(), recursive.infer_methods_to_compile, share_types=False) for _ in range(2)]
print(apart[0]._c._type() == apart[1]._c._type())
sequence = torch.nn.Sequential(torch.nn.ReLU())
print(set(dir(sequence)) - set(dir(torch.jit.script(sequence))))


class Unready(torch.jit.ScriptModule):
    def __init__(self):
        self.number = 3


try:
    Unready()
except RuntimeError as error:
    print(type(error).__name__)
