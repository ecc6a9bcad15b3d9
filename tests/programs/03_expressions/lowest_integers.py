"""The lowest integer: as a literal in texts, and as the step of a slice."""
from typing import List

import torch


def steps(x: List[int], n: int):
    return x[::n]


def letters(x: str, n: int):
    return x[::n]


def literal(x: int):
    return x + -9223372036854775807


def beyond(x: int):
    return x + 9223372036854775808


def beyond_with_sign(x: int):
    return x + -9223372036854775808


LOWEST = -(2**63)
for function, arguments in (
    (steps, ([1, 2, 3], LOWEST)), (steps, ([1, 2, 3], LOWEST + 1)), (steps, ([1, 2, 3], 0)), (steps, ([1, 2, 3], 2**63 - 1)),
    (letters, ("abc", LOWEST)), (letters, ("abc", LOWEST + 1)), (literal, (5,)), (beyond, (5,)), (beyond_with_sign, (5,)),
):
    try:
        print(torch.jit.script(function)(*arguments))
    except Exception as error:
        print(type(error).__name__, error)

unit = torch.jit.CompilationUnit("""
def lowest():
    return -9223372036854775808
def sliced(x: List[int]):
    return x[::-9223372036854775808]
""")
print(unit.lowest(), unit.lowest.graph)
try:
    print(unit.sliced([1, 2]))
except Exception as error:
    print(error)
try:
    torch.jit.CompilationUnit("def f():\n    return -9223372036854775809\n")
except Exception as error:
    print(error)
