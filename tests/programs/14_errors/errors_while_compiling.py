# what the compiler says about names, methods, returns and kinds of statements
from typing import List

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def unknown_name(x: int):
    return x + missing


def unknown_method(x: List[int]):
    return x.push(1)


def changed_type(x: int):
    if x > 1:
        x = "text"
    return x


def two_returns(x: int):
    if x > 1:
        return 1
    return "one"


def generator(x: int):
    yield x


def keyword_twice(x: torch.Tensor):
    return torch.sum(x, dims=1)


def not_callable(x: int):
    return x(1)


def loop_over_int(x: int):
    for i in x:
        print(i)


for f in [unknown_name, unknown_method, changed_type, two_returns, generator, not_callable, loop_over_int]:
    err(torch.jit.script, f)
