# With the switch for it on, graphs have the bodies of what they call in place of the calls.
import torch


def inner(x):
    if x.dim() > 2:
        x = x * 2
    return x + 1


inner = torch.jit.script(inner)


class Child(torch.nn.Module):
    def forward(self, x):
        return self.helper(x)

    def helper(self, x):
        return torch.relu(x)


class Parent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.child = Child()

    def forward(self, x):
        return self.child(x)


def kinds(graph):
    print(sorted({line.split("= ")[1].split("(")[0].split("[")[0] for line in str(graph).split("\n") if "= " in line}))


def calls(x):
    return inner(x) * 3


def forks(x):
    task = torch.jit.fork(inner, x)
    return torch.jit.wait(task)


for on in (False, True, False):
    before = torch._C._jit_get_inline_everything_mode()
    torch._C._jit_set_inline_everything_mode(on)
    print(before, torch._C._jit_get_inline_everything_mode())
    unit = torch.jit.CompilationUnit("def twice(x):\n    return x * 2\ndef four(x):\n    return twice(twice(x))\n")
    kinds(unit.four.graph)
    kinds(torch.jit.script(Parent()).graph)
    kinds(torch.jit.trace(lambda x: inner(x), torch.ones(2)).graph)
print(calls(torch.ones(2)), forks(torch.ones(2)))
torch._C._jit_set_inline_everything_mode(True)
kinds(torch.jit.script(calls).graph)
kinds(torch.jit.script(forks).graph)
print(torch.jit.script(calls)(torch.ones(1, 1, 2)), torch.jit.script(forks)(torch.ones(2)))
