"""Overloads of functions: which declarations belong to which body, defaults of both, and what is refused."""
import warnings
from typing import List, Optional, Tuple  # noqa: F401

import torch
from torch import nn

warnings.simplefilter("ignore")


def show(make):
    try:
        print(make())
    except Exception as error:
        print("<<%s>>" % type(error).__name__)
        print(error)
        print("<<end>>")


def schemas(function):
    return [compiled.schema for compiled in torch.jit._script._get_overloads(function)]


@torch.jit._overload
def same(x):
    # type: (str) -> str
    pass


@torch.jit._overload
def same(x):  # noqa: F811
    # type: (float) -> float
    pass


def same(x=1.0):  # noqa: F811
    return x


def calls_same():
    return same(), same(0.5), same("hi")


show(lambda: torch.jit.script(calls_same)())
show(lambda: schemas(same))
first, second = (torch.jit._script._get_overloads(same) for _ in range(2))
print(first[0].graph is not None, str(first[0].graph) == str(second[0].graph))
print(torch.jit._script._get_overloads(calls_same))
show(lambda: torch.jit.script(same))

# A declaration that comes later belongs to the body that is used next.
old = same


@torch.jit._overload
def same(x):  # noqa: F811
    # type: (int) -> int
    pass


def calls_old():
    return old(3)


show(lambda: torch.jit.script(calls_old)())


@torch.jit._overload
def same(a, b):  # noqa: F811
    # type: (int, int) -> int
    pass


def same(a, b):  # noqa: F811
    return a + b


def calls_new():
    return same(3, 4)


show(lambda: torch.jit.script(calls_new)())


def calls_new_alone():
    return same("a")


show(lambda: torch.jit.script(calls_new_alone))


@torch.jit._overload
def many(a: int, b: Optional[int], c: List[int], d: Optional[float], e: Tuple[int, int]) -> int: ...


def many(a, b=2, c=(1, 2), d=None, e=(1, 2)):  # noqa: F811
    return 1


show(lambda: schemas(many))


@torch.jit._overload
def fewer(a: int) -> int: ...


def fewer(a, b: int = 3):  # noqa: F811
    return b


show(lambda: schemas(fewer))


@torch.jit._overload
def no_default(a: int) -> int: ...


def no_default(a, b):  # noqa: F811
    return 1


show(lambda: schemas(no_default))


@torch.jit._overload
def other_name(a: int, c: int) -> int: ...


def other_name(a, b=2):  # noqa: F811
    return 1


show(lambda: schemas(other_name))


@torch.jit._overload
def too_many(a: int, b: int) -> int: ...


def too_many(a):  # noqa: F811
    return 1


show(lambda: schemas(too_many))


@torch.jit._overload
def other_default(a: int, b: int = 3) -> int: ...


def other_default(a, b=4):  # noqa: F811
    return 1


show(lambda: schemas(other_default))


@torch.jit._overload
def one_fails(a: int) -> int: ...


@torch.jit._overload
def one_fails(a: str) -> int: ...


def one_fails(a):  # noqa: F811
    return [a][0].nothing


def calls_one_fails():
    return one_fails(3)


show(lambda: torch.jit.script(calls_one_fails))


@torch.jit._overload
def no_body(a: int) -> int: ...


def calls_no_body():
    return no_body(1)


show(lambda: torch.jit.script(calls_no_body))


def declares_with_a_body():
    @torch.jit._overload
    def h(a: int) -> int:
        return 2


show(declares_with_a_body)


def declares_a_method_with_a_body():
    class Plain(nn.Module):
        @torch.jit._overload_method
        def h(self, a: int) -> int:
            """Told."""
            return 2


show(declares_a_method_with_a_body)


@torch.jit._overload
def commented(x):
    # type: (float) -> float
    pass


@torch.jit._overload
def commented(x, y):  # noqa: F811
    # type: (int, int) -> int
    pass


def commented(x, y=2, z=3):  # noqa: F811
    # type: (Union[float, int], int, int)
    return x + y + z


def calls_commented():
    return commented(1.0), commented(1, 2), commented(1), commented(1, 2, 3)


show(lambda: torch.jit.script(calls_commented)())
