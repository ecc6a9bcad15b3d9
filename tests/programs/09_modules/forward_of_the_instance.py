"""What is set on instances before scripting: `forward`, `__prepare_scriptable__`; and names that modules have already."""
import types

import torch
from torch import nn


class Two(nn.Module):
    def forward(self, x):
        return x + 1

    def infer(self, x):
        return x + 2


def scaled(self, x):
    return x * 5 + self.k


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 3

    def forward(self, x):
        return x


class Prepared(nn.Module):
    def forward(self, x):
        return x

    def __prepare_scriptable__(self):
        return Plain()


class Plain(nn.Module):
    def forward(self, x):
        return x + 7


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Prepared()

    def forward(self, x):
        return self.inner(x)


class Own(nn.Module):
    def forward(self, x):
        return self.double(x)

    @torch.jit.export
    def double(self, x):
        return x * 2

    @torch.jit.export
    def train(self, x):
        return x + 9

    @torch.jit.export
    def type(self, x):
        return x + 10


class Logs(nn.Module):
    @torch.jit.ignore
    def log(self, x):
        print("log", type(x).__name__)

    def forward(self, x):
        self.log(x)
        return x + 1


module = Two()
module.forward = module.infer
print(torch.jit.script(module)(torch.zeros(1)))
module = Scaled()
module.forward = types.MethodType(scaled, module)
print(torch.jit.script(module).code)
print(torch.jit.script(Prepared())(torch.zeros(1)), torch.jit.script(Outer()).inner.original_name)
own = torch.jit.script(Own())
print(own(torch.ones(1)), own.double(torch.ones(1)), own.train(torch.ones(1)), own.type(torch.ones(1)))
print(torch.jit.script(Logs())(torch.zeros(1)))
for text in ("def f(x):\n  continue\n", "def f(x):\n  if x:\n    break\n"):
    try:
        torch.jit.CompilationUnit(text)
    except RuntimeError as error:
        print(f"<<RuntimeError>>\n{error}\n<<end>>")
