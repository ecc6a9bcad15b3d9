# enumerate with a start, zip of one thing, slice() with None and calls with too many arguments
from typing import List, Tuple

import torch


def starts(x: List[int]):
    n = 0
    for i, v in enumerate(x, 2):
        n += i * v
    return n, [a for a in enumerate(x, start=len(x))], [(i, j, k) for i, (j, k) in enumerate(zip(x, x), 1)]


def tuples(x: Tuple[int, int]):
    return [a for a in enumerate(x, 2)], [a for a in zip(x)]


def alone(x: List[int]):
    return [a for a in zip(x)], list(zip(x))


def slices(x):
    return x[slice(None, 2)], x[slice(0, None)], x[slice(1, None, None)], x[slice(2)]


def devices():
    return (torch.device("cpu"), 1), str((torch.device("cpu"), 1))


for function, argument in [(starts, ([4, 5],)), (tuples, ((4, 5),)), (alone, ([4, 5],)), (slices, (torch.arange(3),)), (devices, ())]:
    script = torch.jit.script(function)
    print(script.graph)
    print(script(*argument))


def named_range(x: int):
    return [i for i in range(n=x)]


def text_start(x: List[int]):
    return [a for a in enumerate(x, "a")]


def three(x: List[int]):
    return enumerate(x, 1, 2)


def end(x: List[int]):
    return enumerate(x, end=1)


for function in (named_range, text_start, three, end):
    try:
        torch.jit.script(function)
    except RuntimeError as e:
        print(str(e).rstrip())
