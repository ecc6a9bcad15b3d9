"""`del` takes a name out of the whole function, wherever it stands."""
import torch


def both(x, c: bool):
    a = x + 1
    if c:
        del a
    else:
        del a
    return a


def one_assigns(x, c: bool):
    a = x + 1
    if c:
        a = x
    else:
        del a
    return a


def in_a_loop(x, n: int):
    a = x
    for i in range(n):
        del a
    return a


def deep(x, c: bool):
    a = x
    if c:
        if c:
            del a
    return a


def twice(x):
    a = x
    del a
    del a
    return x


def of_another_type(x):
    a = x + 1
    del a
    a = "text"
    return a


def assigned_again(x, c: bool):
    a = x + 1
    if c:
        del a
        a = x * 2
    else:
        a = x * 3
    return a


def parameter(x, y):
    z = x + y
    del x, y
    return z


def items(d: dict[str, int], l: list[int]):
    del d["a"]
    del l[0]
    return d, l


for function in (both, one_assigns, in_a_loop, deep, twice, of_another_type, assigned_again, parameter, items):
    try:
        scripted = torch.jit.script(function)
        print(function.__name__, "compiles")
        print(scripted.graph)
    except Exception as error:
        print(function.__name__, type(error).__name__)
        print(error)
print(torch.jit.script(of_another_type)(torch.ones(2)))
print(torch.jit.script(assigned_again)(torch.ones(2), True), torch.jit.script(assigned_again)(torch.ones(2), False))
print(torch.jit.script(items)({"a": 1, "b": 2}, [1, 2]))
