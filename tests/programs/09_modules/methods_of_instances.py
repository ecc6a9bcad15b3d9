"""Methods that instances have in the place of their class's: exported ones are compiled, others are not seen."""
import types

import torch


def fresh():
    """A class that no script has seen, so that no type is shared."""

    class Counter(torch.nn.Module):
        @torch.jit.export
        def step(self, x: int) -> int:
            return x + 1

        def far(self, x: int) -> int:
            return x + 100

        @torch.jit.export
        def both(self, x: int) -> int:
            return self.step(x) + self.far(x)

        def forward(self, x: int) -> int:
            return self.step(x) + self.far(x)

    return Counter()


def plain(self, x: int) -> int:
    return x * 7


@torch.jit.export
def marked(self, x: int) -> int:
    return x * 5


@torch.jit.export
def more(self, x: int) -> int:
    return x * 9 + self.step(x)


def show(label, bind=types.MethodType, **members):
    module = fresh()
    for name, function in members.items():
        setattr(module, name, bind(function, module))
    scripted = torch.jit.script(module)
    answers = [getattr(scripted, name)(3) for name in sorted(members)]
    print(label, sorted(scripted._c._method_names()), scripted(2), answers)


show("its class's")
show("not exported", step=plain)
show("exported", step=marked)
show("exported in the place of one that is not", far=marked)
show("one more", more=more)
show("one more, and another", more=more, step=marked)
show("forward", forward=plain)
show("forward, and what it does not call", forward=marked, both=more)
show("a function", bind=lambda function, module: function, step=marked)


class Two(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = fresh(), fresh()
        self.b.step = types.MethodType(marked, self.b)

    def forward(self, x: int):
        return self.a(x), self.b(x), self.b.step(x)


print(torch.jit.script(Two())(2))


class Caller(torch.nn.Module):
    def forward(self, x: int) -> int:
        return self.hidden(x)


caller = Caller()
caller.hidden = types.MethodType(plain, caller)
try:
    torch.jit.script(caller)
except RuntimeError as error:
    print(str(error).strip().splitlines()[0][:60])
