# torch.jit.script of an instance of a plain class: its attributes and methods, not its operators
from typing import Dict, List

import torch


def attempt(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, str(error).split(" (of")[0])


class Counter:
    def __init__(self, a: int, b: List[int], t: torch.Tensor):
        self.a = a
        self.b = b
        self.t = t
        self.d: Dict[str, int] = {}

    @property
    def double(self) -> int:
        return self.a * 2

    @double.setter
    def double(self, v: int):
        self.a = v

    def __len__(self) -> int:
        return len(self.b)

    def bump(self):
        self.a += 1


plain = Counter(1, [2, 3], torch.ones(1))
scripted = torch.jit.script(plain)
print(type(scripted), isinstance(scripted, Counter))
scripted.bump()
print(scripted.a, plain.a, scripted.b, scripted.t, scripted.d, scripted.double)
scripted.double = 9
print(scripted.a)
attempt("len", lambda: len(scripted))
attempt("forwarded", lambda: scripted.forward_magic_method("__len__"))
attempt("missing", lambda: scripted.nope)
attempt("new", lambda: setattr(scripted, "nope", 3))
attempt("again", lambda: torch.jit.script(scripted))
print(scripted._c._type(), str(scripted._c))


@torch.jit.script
def use(c: Counter) -> int:
    c.bump()
    return c.a


print(use(scripted), scripted.a, use(plain), plain.a)


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.c = Counter(4, [1], torch.zeros(1))

    def forward(self) -> int:
        return self.c.a


holder = torch.jit.script(Holder())
print(type(holder.c), holder.c.a, holder.c is holder.c)
holder.c.a = 9
print(holder.c.a, holder())
holder.c = Counter(7, [1], torch.zeros(1))
print(holder())
for thing in (3, "s", None, (1, 2)):
    attempt(type(thing).__name__, lambda: torch.jit.script(thing))
