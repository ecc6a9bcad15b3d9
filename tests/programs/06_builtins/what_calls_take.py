# Tensors as numbers, bytes as text, objects that are called, and things of Python that scripts cannot use.
import io
import random

import torch

x = torch.zeros(10)


def tell(work):
    try:
        print(work())
    except (RuntimeError, TypeError) as error:
        lines = [line for line in str(error).split("\n") if line.strip()]
        print(type(error).__name__, lines[0][:110])


for number in (torch.tensor(1.5), torch.tensor(1), torch.tensor([1]), torch.tensor(1.5, requires_grad=True), torch.tensor(True)):
    tell(lambda: x.addcmul(x, x, value=number).shape)
    tell(lambda: x.unsqueeze(number).shape)
    tell(lambda: torch.full((2,), number).shape)


@torch.jit.script
def first_byte(s: str):
    return ord(s)


print(first_byte("\u00a3".encode()[:1]))


class Called:
    @torch.jit.ignore
    def __call__(self, *args) -> str:
        return type(args[0]).__name__


called = Called()


@torch.jit.script
def calls(x):
    return called(x)


print(calls(x))


def drawn():
    return random.randint()


def raw():
    return io.BytesIO


for function in (drawn, raw):
    try:
        torch.jit.script(function)
    except RuntimeError as error:
        print([line for line in str(error).split("\n") if line.strip()][0])


def untraceable(x):
    if x.dim() > 2:
        return x * 2
    return offset(x)


def offset(x):
    return x + 3


checked = torch.jit.script_if_tracing(untraceable)
print(torch.jit.script(checked)(torch.ones(1)), torch.jit.script(untraceable)(torch.ones(1)))
numbers = torch.jit.script({1: 2})
for key in ("a", 7):
    try:
        del numbers[key]
    except (KeyError, TypeError) as error:
        print(type(error).__name__, error)
