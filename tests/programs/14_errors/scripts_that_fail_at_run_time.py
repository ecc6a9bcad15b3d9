# Exceptions and assertions from scripts, with their backtraces.
"""Error handling contract of a scripted service: exceptions raised in script, asserts, argument checks, tracebacks."""
import io
import math
import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
import torch.nn as nn
from torch import Tensor


def scrub(s):
    s = re.sub(r'File ".*?([^/"]+)"', r'File "\1"', str(s))
    return re.sub(r"___torch_mangle_\d+\.|\(of Python compilation unit at: 0x[0-9a-f]+\)", "", s)


def attempt(label, fn, full=False):
    try:
        r = fn()
        print(f"{label}: returned {r}")
    except Exception as e:
        lines = [ln.rstrip() for ln in scrub(e).strip().splitlines()]
        kind = f"{label}: {type(e).__module__}.{type(e).__name__}"
        if full:
            print(kind, [c.__name__ for c in type(e).__mro__[1:3]])
            print("\n".join("    " + ln for ln in lines))
        else:
            pick = lines[0] if "Expected a value" in lines[0] else lines[-1]
            print(kind, "|", pick.split(" to C++ type")[0])


class QuotaExceeded(Exception):
    pass


@torch.jit.script
def withdraw(balance: Dict[str, int], who: str, amount: int) -> int:
    if who not in balance:
        raise KeyError("no account for " + who)
    if amount < 0:
        raise ValueError("negative amount {}".format(amount))
    if amount > balance[who]:
        raise QuotaExceeded(f"{who} has {balance[who]}, asked {amount}")
    balance[who] -= amount
    return balance[who]


@torch.jit.script
def checked_div(a: int, b: int, mode: str) -> float:
    assert b > -100, "b out of range"
    assert mode != "bare"
    if mode == "floor":
        return float(a // b)
    elif mode == "mod":
        return float(a % b)
    elif mode == "true":
        return a / b
    elif mode == "raise":
        raise RuntimeError
    else:
        raise NotImplementedError("mode", mode)


@torch.jit.script
def inner(x: Tensor, k: int) -> Tensor:
    if k == 0:
        raise IndexError("depth reached")
    return x.view(k, -1)


@torch.jit.script
def outer(x: Tensor, ks: List[int]) -> List[Tensor]:
    out: List[Tensor] = []
    for k in ks:
        out.append(inner(x, k))
    return out


@torch.jit.script
def containers(what: str) -> int:
    xs = [1, 2, 3]
    d = {"a": 1}
    e: List[int] = []
    if what == "index":
        return xs[7]
    if what == "neg":
        return xs[-4]
    if what == "key":
        return d["b"]
    if what == "pop":
        return e.pop()
    if what == "max":
        return max(e)
    if what == "remove":
        xs.remove(9)
    if what == "idx":
        return xs.index(9)
    if what == "int":
        return int("12x")
    if what == "chr":
        return len(chr(-1))
    if what == "ord":
        return ord("ab")
    if what == "range":
        for i in range(0, 3, 0):
            xs.append(i)
    if what == "fact":
        return math.factorial(-1)
    if what == "del":
        del d["zz"]
    if what == "popd":
        return d.pop("q")
    if what == "step":
        return len(xs[::0])
    if what == "unpack":
        a, b = xs
        return a + b
    if what == "fmt":
        return len("{} {}".format(1))
    return len(xs) + len(d)


@torch.jit.script
def unwrap(x: Optional[int]) -> int:
    return torch.jit._unwrap_optional(x) + 1


@torch.jit.script
def to_scalar(x: Tensor, how: str) -> float:
    if how == "item":
        return float(x.item())
    if how == "int":
        return float(int(x))
    if how == "bool":
        return 1.0 if bool(x) else 0.0
    return float(x)


class Pt(NamedTuple):
    x: int
    y: Optional[float] = None


@torch.jit.script
def typed(a: int, b: float, c: bool, d: str, e: List[float], f: Dict[str, int], g: Tuple[int, str], h: Optional[Tensor] = None, p: Pt = Pt(1)) -> str:
    return str(a) + str(b) + str(c) + d + str(len(e)) + str(len(f)) + g[1] + str(h is None) + str(p.x)


class Guard(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 2)
        self.hits: int = 0

    def forward(self, x: Tensor, strict: bool = True) -> Tensor:
        self.hits += 1
        if strict:
            self.check(x)
        return self.lin(x)

    def check(self, x: Tensor) -> None:
        if x.dim() != 2:
            raise ValueError(f"expected 2 dims, got {list(x.shape)}")

    @torch.jit.ignore
    def py_fail(self, n: int) -> int:
        return {1: 2}[n]

    @torch.jit.export
    def call_py(self, n: int) -> int:
        return self.py_fail(n) * 10


acct = {"ann": 10}
attempt("ok", lambda: withdraw({"ann": 10}, "ann", 4))
attempt("key", lambda: withdraw(acct, "bob", 1), full=True)
attempt("value", lambda: withdraw(acct, "ann", -2))
attempt("custom", lambda: withdraw(acct, "ann", 99))
attempt("assert", lambda: checked_div(1, -100, "true"), full=True)
attempt("bare assert", lambda: checked_div(1, 1, "bare"))
attempt("true div zero", lambda: checked_div(1, 0, "true"))
attempt("floor zero", lambda: checked_div(1, 0, "floor"))
attempt("raise class", lambda: checked_div(1, 1, "raise"))
attempt("tuple message", lambda: checked_div(1, 1, "zzz"))
attempt("values", lambda: [checked_div(a, b, m) for m in ("floor", "mod") for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2))])
attempt("nested ok", lambda: [tuple(t.shape) for t in outer(torch.arange(6), [1, 2, 3])])
attempt("nested", lambda: outer(torch.arange(6), [2, 4]), full=True)
attempt("nested raise", lambda: outer(torch.arange(6), [2, 0]), full=True)
for w in "index neg key pop max remove idx int chr ord range fact del popd step unpack fmt fine".split():
    attempt("containers " + w, lambda: containers(w))
attempt("unwrap", lambda: unwrap(4))
attempt("unwrap none", lambda: unwrap(None))
for how in ("item", "int", "bool", "float"):
    attempt("scalar " + how, lambda: to_scalar(torch.ones(2), how))
attempt("scalar ok", lambda: to_scalar(torch.tensor(2.7), "int"))
good = dict(a=1, b=2.0, c=True, d="s", e=[1.0], f={"k": 1}, g=(1, "t"))
attempt("typed", lambda: typed(**good))
for k, v in dict(a=1.5, b="x", c=1, d=None, e=[1, "a"], f={1: 1}, g=(1, 2), h=3, p=(1, 2.0)).items():
    attempt("typed " + k, lambda: typed(**{**good, k: v}))
attempt("typed int->float", lambda: typed(**{**good, "b": 2, "e": (1.0, 2.0), "p": Pt(5)}))
attempt("missing", lambda: typed(1, 2.0))
attempt("extra", lambda: unwrap(1, 2))
attempt("unknown kw", lambda: unwrap(x=1, y=2))
attempt("twice", lambda: unwrap(1, x=1))
g = torch.jit.script(Guard())
attempt("guard", lambda: g(torch.ones(3)), full=True)
attempt("guard loose", lambda: tuple(g(torch.ones(3), False).shape))
attempt("shape", lambda: g(torch.ones(2, 4)))
attempt("hits", lambda: g.hits)
attempt("py ok", lambda: g.call_py(1))
try:
    g.call_py(3)
except Exception as e:
    print(type(e).__name__, str(e).strip().splitlines()[-1][:40] != "", "KeyError: 3" in str(e))
attempt("no attr", lambda: g.nothing)
attempt("set bad", lambda: setattr(g, "hits", "many"))
attempt("load garbage", lambda: torch.jit.load(io.BytesIO(b"not a zip")))
attempt("load empty", lambda: torch.jit.load(io.BytesIO(b"")))
attempt("script non-callable", lambda: torch.jit.script(3))
attempt("script list", lambda: type(torch.jit.script([1, 2])).__name__)
try:
    withdraw(acct, "zed", 1)
except torch.jit.Error as e:
    print("caught torch.jit.Error", issubclass(torch.jit.Error, RuntimeError), acct)
