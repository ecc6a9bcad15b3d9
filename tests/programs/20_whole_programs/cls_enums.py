import enum
import torch
from enum import Enum
from typing import Dict, List, Optional, Tuple


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 4


class Mode(Enum):
    TRAIN = "train"
    EVAL = "eval"


class Rate(Enum):
    SLOW = 0.1
    FAST = 0.9


class Alias(Enum):
    A = 1
    B = 1
    C = 2


class Mixed(Enum):
    X = 1
    Y = "two"


class Num(enum.IntEnum):
    ONE = 1
    TWO = 2


def S(f):
    try:
        return torch.jit.script(f)
    except Exception as e:
        ls = [x for x in str(e).split("\n") if x.strip()]
        print("SCRIPT", f.__name__, type(e).__name__, "|", ls[0])
        return None


@S
def name_value(c: Color) -> Tuple[str, int]:
    return c.name, c.value


@S
def pick(i: int) -> Color:
    if i == 0:
        return Color.RED
    elif i == 1:
        return Color.GREEN
    return Color.BLUE


@S
def compare(a: Color, b: Color) -> Tuple[bool, bool, bool, bool]:
    return a == b, a != b, a is b, a == Color.RED


@S
def mode_str(m: Mode, x: torch.Tensor) -> torch.Tensor:
    if m == Mode.TRAIN:
        return x * 2
    return x + len(m.value)


@S
def rate(r: Rate) -> float:
    return r.value * 10


@S
def all_values() -> List[int]:
    return [c.value for c in Color]


@S
def all_members() -> List[Color]:
    out: List[Color] = []
    for c in Color:
        out.append(c)
    return out


@S
def membership(cs: List[Color], c: Color) -> Tuple[bool, int]:
    return c in cs, len(cs)


@S
def as_key(c: Color) -> int:
    d: Dict[Color, int] = {}
    d[c] = 5
    return d[c]


@S
def optional(c: Optional[Color] = None) -> str:
    if c is None:
        return "nothing"
    return c.name.lower()


@S
def default(c: Color = Color.GREEN) -> int:
    return c.value + 1


@S
def mixed(m: Mixed) -> str:
    return m.name


@S
def intenum(n: Num) -> int:
    return n.value


@S
def intenum_arith(n: Num) -> int:
    return n + 1


@S
def alias(a: Alias) -> Tuple[str, bool]:
    return a.name, a == Alias.B


@S
def construct(i: int) -> Color:
    return Color(i)


@S
def by_name(s: str) -> Color:
    return Color[s]


@S
def missing() -> Color:
    return Color.PURPLE


@S
def show(c: Color):
    print(c, [c], (c, 1))


@S
def const_enum(x: int) -> int:
    if Color.RED.value == 1:
        return x + Color.BLUE.value
    return x


class M(torch.nn.Module):
    def __init__(self, c: Color):
        super().__init__()
        self.c = c
        self.m = Mode.EVAL

    def forward(self, x: torch.Tensor) -> Tuple[torch.Tensor, str, bool]:
        if self.c == Color.GREEN:
            x = -x
        return x * self.c.value, self.c.name, self.m == Mode.TRAIN


def attempt(name, f, *a):
    if f is None:
        return
    try:
        print(name, "->", f(*a))
    except Exception as e:
        ls = [x for x in str(e).split("\n") if x.strip()]
        print(name, type(e).__name__, "|", ls[0] if ls else "", "|", ls[-1] if ls else "")


for c in Color:
    attempt("nv", name_value, c)
attempt("pick", lambda: [pick(i) for i in range(3)])
attempt("identity", lambda: pick(0) is Color.RED)
attempt("compare", compare, Color.RED, Color.RED)
attempt("compare", compare, Color.GREEN, Color.RED)
attempt("mode", mode_str, Mode.TRAIN, torch.ones(2))
attempt("mode", mode_str, Mode.EVAL, torch.ones(2))
attempt("rate", rate, Rate.FAST)
attempt("values", all_values)
attempt("members", all_members)
attempt("membership", membership, [Color.RED, Color.BLUE], Color.BLUE)
attempt("key", as_key, Color.RED)
attempt("optional", optional)
attempt("optional", optional, Color.BLUE)
attempt("default", default)
attempt("mixed", mixed, Mixed.X)
attempt("intenum", intenum, Num.TWO)
attempt("intenum_arith", intenum_arith, Num.TWO)
attempt("alias", alias, Alias.A)
attempt("show", show, Color.RED)
attempt("const", const_enum, 3)
attempt("wrong enum", name_value, Mode.EVAL)
attempt("int for enum", name_value, 1)
for c in (Color.RED, Color.GREEN):
    attempt("module", torch.jit.script(M(c)), torch.ones(2))
attempt("attr", lambda: torch.jit.script(M(Color.BLUE)).c)
print(name_value.schema if name_value else None)
