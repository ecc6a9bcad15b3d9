# Marks below floats are as long as Python shows them; floor division fails inside a function of the language
import torch


class Value:
    def __init__(self, x: float):
        self.x = x


def attempt(function, *arguments):
    try:
        print(torch.jit.script(function)(*arguments))
    except Exception as error:
        print(*[line for line in str(error).splitlines() if line.strip()], sep="\n")


def call(a: Value):
    return Value(2.0) - Value(2.)  # fmt: skip


def literal(a: Value):
    x = a - 5.  # fmt: skip
    return x


def longer(a: Value):
    return (a - 2.50).x


def small(a: Value):
    return (a - 1e-3).x


def divided(x, y: int):
    return x // y


for function in (call, literal, longer, small):
    attempt(function, Value(1.0))
attempt(divided, torch.ones(1, dtype=torch.int64), 0)
