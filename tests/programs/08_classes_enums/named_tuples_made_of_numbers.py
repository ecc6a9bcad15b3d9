"""A number where a NamedTuple takes a list, and what is said of calls that do not fit."""
from typing import Dict, List, NamedTuple, Optional

import torch


class Hypothesis(NamedTuple):
    tokens: List[int]
    score: float = 1.0
    pair: List[int] = [4, 5]
    maybe: Optional[List[int]] = None
    flags: List[bool] = [True]


class Plain(NamedTuple):
    name: str
    weights: List[float]
    parts: List[torch.Tensor]
    table: Dict[str, List[int]]
    last: List[int]


@torch.jit.script
def none_of_it(n: int):
    return Hypothesis(n)


@torch.jit.script
def repeated(n: int):
    return Hypothesis([n], pair=n, maybe=n)


@torch.jit.script
def of_floats(x: float):
    return Plain("a", x, [torch.ones(1)], {"k": [1]}, 7)


print(none_of_it(3))
print(repeated(3))
print(of_floats(0.5))
print(repeated.graph)


def without_first(n: int):
    return Hypothesis(pair=n)


def text_for_list(n: int):
    return Hypothesis("a")


def text_for_pair(n: int):
    return Hypothesis([1], 1.0, "a")


def too_few(n: int):
    return Plain("a", 2.0)


def too_many(n: int):
    return Plain("a", 2.0, [torch.ones(1)], {"k": [1]}, 1, 2, 3)


for function in (without_first, text_for_list, text_for_pair, too_few, too_many):
    try:
        print(torch.jit.script(function).schema)
    except RuntimeError as e:
        print(e)
