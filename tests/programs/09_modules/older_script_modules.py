# subclasses of ScriptModule: script_method, define, plain methods beside them
import torch
import torch.nn as nn


class Inner(nn.Module):
    def forward(self, x):
        return x * 3


class M(torch.jit.ScriptModule):
    __constants__ = ["k"]

    def __init__(self, n: int):
        super().__init__()
        self.w = nn.Parameter(torch.ones(n))
        self.k = 2
        self.inner = Inner()
        self.count = torch.jit.Attribute(0, int)

    @torch.jit.script_method
    def forward(self, x):
        self.count += 1
        return self.helper(x) + self.w

    @torch.jit.script_method
    def helper(self, x):
        return self.inner(x) * self.k

    def in_python(self, x):
        return [self.k, self.count, x]


class Defined(torch.jit.ScriptModule):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1) * 4)
        self.define(
            """
            def forward(self, x):
                return self.w * x
            """
        )


m = M(2)
print(m(torch.ones(2)).detach(), m.helper(torch.ones(1)), m.in_python("p"))
m.count = 40
print(m(torch.ones(2)).detach(), m.count, m.k, isinstance(m, M), m.original_name)
print(m, [n for n, _ in m.named_modules()], list(m.state_dict()))
d = Defined()
print(d(torch.ones(1)).detach())
d.define("def twice(self, x):\n    return self.forward(x) * 2\n")
print(d.twice(torch.ones(1)).detach())
