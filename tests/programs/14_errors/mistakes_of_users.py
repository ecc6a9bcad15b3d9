# Mistakes that users make in scripts, and what they are told.
"""A lint-like gate: typical user mistakes that torch.jit.script must refuse; prints type and full message."""
import re
from typing import Any, Dict, Final, List, NamedTuple, Optional, Tuple

import torch
import torch.nn as nn
from torch import Tensor


def report(fn, brief=False):
    """Decorator: try to script and print what the user would read."""
    name = getattr(fn, "__name__", type(fn).__name__)
    try:
        torch.jit.script(fn)
        print(f"== {name}: compiled")
    except Exception as e:
        msg = re.sub(r'File ".*?([^/"]+)"', r'File "\1"', str(e))
        msg = re.sub(r"0x[0-9a-f]+", "ADDR", re.sub(r"___torch_mangle_\d+\.", "", msg))
        print(f"== {name}: {type(e).__name__}")
        lines = [ln.rstrip() for ln in msg.strip("\n").splitlines() if ln.strip()]
        print("\n".join(lines[:1] if brief else lines))
    return fn


def short(fn):
    return report(fn, brief=True)


@report
def undefined_name(x: Tensor):
    return x + bias_term


@report
def wrong_return(x: Tensor) -> int:
    return x.sum()


@report
def branch_types(x: Tensor):
    if x.sum() > 0:
        y = 1
    else:
        y = "neg"
    return y


@report
def half_defined(flag: bool):
    if flag:
        out = 3
    return out


@short
def none_arith(x: Optional[int]) -> int:
    return x.bit_length() if x is not None else 0


@short
def optional_use(x: Optional[Tensor]) -> Tensor:
    return x.relu()


@report
def retype(x: int):
    x = str(x)
    return x


@short
def try_except(x: Tensor):
    try:
        return x + 1
    except RuntimeError:
        return x


@short
def uses_lambda(xs: List[int]):
    f = lambda v: v + 1
    return f(xs[0])


@short
def nested(x: Tensor):
    def inner(y: Tensor):
        return y * 2
    return inner(x)


@short
def star_args(*xs: Tensor):
    return xs[0]


@short
def kw_args(x: Tensor, **kw):
    return x


@report
def for_else(n: int):
    for i in range(n):
        if i == 3:
            break
    else:
        n = 0
    return n


@report
def mixed_list():
    return [1, "a", 2.0]


@short
def empty_list_wrong():
    out = []
    out.append(3)
    return out


@short
def unknown_attr(x: Tensor):
    return x.sparkle()


@short
def str_times(s: str):
    return s.nope()


@short
def wrong_arity(x: List[int]):
    a, b = x[0], 2
    c, d, e = (a, b)
    return c


@report
def relu_str(s: str):
    return torch.relu(s)


@short
def missing_arg(x: Tensor):
    return torch.sum()


@short
def set_literal(x: int):
    return {x, 1}


@short
def yields(n: int):
    for i in range(n):
        yield i


@short
def global_write(n: int):
    global COUNTER
    COUNTER = n
    return n


@short
def fspec(v: float):
    return f"{v:.2f}"


@short
def comp_if(xs: List[int]):
    return [x for x in xs if x > 0]


def chained_call(x: Tensor):
    return helper(x, 3)


def helper(x: Tensor, k: str) -> Tensor:
    return x


report(chained_call)


@report
def modifies_default(x: Tensor, sizes=[]):
    return x


@short
def walrus(xs: List[int]):
    if (n := len(xs)) > 3:
        return n
    return 0


@short
def tuple_index(t: Tuple[int, str], i: int):
    return t[i]


@report
def missing_return(x: int) -> int:
    if x > 0:
        return 1


@report
def while_type(x: Tensor):
    while "yes":
        x = x + 1
    return x


@report
def bad_annotation(x: "Tensorr"):
    return x


class Cfg:
    def __init__(self):
        self.k = 3


class UsesCfg(nn.Module):
    def __init__(self):
        super().__init__()
        self.cfg = Cfg()

    def forward(self, x: Tensor) -> Tensor:
        return x * self.cfg.k


class NewAttr(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        self.last = x
        return x


class ConstWrite(nn.Module):
    k: Final[int]

    def __init__(self):
        super().__init__()
        self.k = 2

    def forward(self, x: Tensor) -> Tensor:
        self.k = 3
        return x


class DynamicIndex(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.ReLU(), nn.Tanh()])

    def forward(self, x: Tensor, i: int) -> Tensor:
        return self.layers[i](x)


class WrongAttrType(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0

    def forward(self, x: Tensor) -> Tensor:
        self.step += 0.5
        return x


class EmptyList(nn.Module):
    def __init__(self):
        super().__init__()
        self.items = []

    def forward(self, x: Tensor) -> Tensor:
        self.items.append(x)
        return x


for cls in (UsesCfg, NewAttr, ConstWrite, DynamicIndex, WrongAttrType, EmptyList):
    report(cls())
