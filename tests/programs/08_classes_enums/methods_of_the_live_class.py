# Scripts make methods of what a class has when it is compiled: added, taken away, renamed, wrapped, in order of names
import functools

import torch


def attempt(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, str(error).strip().splitlines()[0].split(" (of")[0])


class Grown:
    def __init__(self, a: int):
        self.a = a

    def first(self) -> int:
        return self.a

    def lost(self) -> int:
        return undefined_name  # noqa: F821  never compiled

    again = first


def added(self, y: int) -> int:
    return self.a + y


Grown.added = added
Grown.other = added
del Grown.lost


def use_added(x: int):
    return Grown(x).added(2) + Grown(x).other(3) * 10 + Grown(x).again() * 100


attempt("added", lambda: torch.jit.script(use_added)(3))


def wrapping(function):
    @functools.wraps(function)
    def inner(self, v: int) -> int:
        return function(self, v)

    return inner


class Wrapped:
    def __init__(self, a: int):
        self.a = a

    @wrapping
    def q(self, v: int) -> int:
        return v + self.a


def use_wrapped(x: int):
    return Wrapped(x).q(2)


attempt("wrapped", lambda: torch.jit.script(use_wrapped)(3))


class Parent:
    def __init__(self, a: int):
        self.a = a

    def inherited(self) -> int:
        return self.a

    @property
    def twice(self) -> int:
        return self.a * 2


class Child(Parent):
    def __init__(self, a: int):
        self.a = a

    def own(self) -> int:
        return self.a + 5


def use_own(x: int):
    return Child(x).own() + Child(x).twice * 10


def use_inherited(x: int):
    return Child(x).inherited()


attempt("own", lambda: torch.jit.script(use_own)(3))
attempt("inherited", lambda: torch.jit.script(use_inherited)(3))


class Redefined:
    def __init__(self, a: int):
        self.a = a

    def q(self) -> int:
        return 1


class Redefined:  # noqa: F811
    def __init__(self, a: int):
        self.a = a

    def q(self) -> int:
        return 2


def use_redefined(x: int):
    return Redefined(x).q()


attempt("redefined", lambda: torch.jit.script(use_redefined)(3))


class Ordered:
    def __init__(self, a: int):
        self.a = a

    def abc(self) -> int:
        return bad_lower  # noqa: F821

    def Abc(self) -> int:
        return bad_upper  # noqa: F821


attempt("order", lambda: torch.jit.script(Ordered))


class Nested:
    class Inner:
        def __init__(self):
            self.a = 1


attempt("nested", lambda: torch.jit.script(Nested.Inner()).a)
