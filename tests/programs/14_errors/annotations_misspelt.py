"""Errors of annotations in comments, and of calls of what stays in Python."""
import warnings
from typing import List, Tuple  # noqa: F401

import torch
from torch import Tensor, nn  # noqa: F401

warnings.simplefilter("ignore")


def show(make):
    try:
        torch.jit.script(make())
        print(make.__name__, "scripted")
    except Exception as error:
        print("<<%s>>" % type(error).__name__)
        print(error)
        print("<<end>>")


def no_blank():
    def f(a):
        #type: (Int) -> Int
        return a + 2

    return f


def many_blanks():
    def f(a):
        #     type: (Int) -> Int
        return a + 2

    return f


def blank_before_colon():
    def f(a):
        # type  : (Int) -> Int
        return a + 2

    return f


def no_mark():
    def f(a):
        # the type: of a
        #  type of x
        return a + 2

    return f


def one_missing():
    def f(a,  # type: Tensor
          b,
          c   # type: Tensor
          ):
        # type: (...) -> Tensor
        return a + b + c

    return f


class Base(nn.Module):
    @torch.jit.ignore
    def one(self, x):
        # type: (Tensor) -> Tensor
        return x + 1

    @torch.jit.ignore
    def two(self, x, y):
        # type: (Tensor, Tensor) -> Tuple[Tensor, Tensor]
        return x + y, y

    @torch.jit.ignore
    def none():
        # type: () -> int
        return 1


def too_many():
    class TooMany(Base):
        def forward(self, x):
            return self.one(x, x)

    return TooMany()


def too_few():
    class TooFew(Base):
        def forward(self, x):
            return self.two(x)

    return TooFew()


def without_self():
    class WithoutSelf(Base):
        def forward(self):
            return self.none()

    return WithoutSelf()


def scripts_in_list():
    class ScriptsInList(nn.Module):
        def __init__(self):
            super().__init__()
            self.mods = [torch.jit.script(nn.ReLU())]

        def forward(self):
            for _ in self.mods:
                print(1)
            return 4

    return ScriptsInList()


def list_in_default():
    def f(x=(1, [])):
        # type: (Tuple[int, List[Tensor]]) -> int
        return 1

    return f


def stays_in_python():
    @torch.jit.ignore
    class Unscriptable:
        def method(self):
            return "a" + 200

    def f(x):
        return Unscriptable()

    return f


def index_by_tensor():
    def f(x):
        return x.__getitem__(torch.tensor([0, 2]))

    return f


for case in (no_blank, many_blanks, blank_before_colon, no_mark, one_missing, too_many, too_few, without_self, scripts_in_list,
             list_in_default, stays_in_python, index_by_tensor):  # fmt: skip
    show(case)


def calls(a):
    # type: print("Hello") -> Tensor
    return a


try:
    torch.jit.annotations.get_signature(calls, None, 1, True)
except RuntimeError as error:
    print(error)
