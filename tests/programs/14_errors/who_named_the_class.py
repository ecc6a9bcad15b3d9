# A class that cannot be compiled: the error tells which calls led to it, from the place that names it
from typing import Any, List, Optional

import torch


def attempt(function):
    try:
        torch.jit.script(function)
    except Exception as error:
        print(type(error).__name__)
        print(str(error))


class Broken:
    def __init__(self, a: int):
        self.a = a
        self.fill()

    def fill(self):
        return undefined_name  # noqa: F821


class Outer:
    def __init__(self, a: int):
        self.inner = Broken(a)


def by_value(x: int):
    return Broken(x)


def by_parameter(x: List[Broken]) -> int:
    return 1


def by_result(x) -> Optional[Broken]:
    return None


def by_variable(x: int):
    y: List[Broken] = []
    return len(y)


def by_isinstance(x: Any):
    return isinstance(x, Broken)


def by_another(x: int):
    return Outer(x)


for function in (by_value, by_parameter, by_result, by_variable, by_isinstance, by_another, Broken):
    attempt(function)


class Unreadable:
    def __init__(self, a: int, *rest):
        self.a = a


def names_it(x: int):
    return Unreadable(x)


def calls_it(x: int):
    return variadic(x)


def variadic(*x):
    return 1


for function in (names_it, calls_it):
    attempt(function)


@torch.jit.interface
class Shape:
    def area(self) -> float:
        pass


def calls_interface():
    return Shape()


attempt(calls_interface)
