import torch
from torch import nn, Tensor
from typing import Any, Callable, Dict, Final, List, NamedTuple, Optional, Set, Tuple, Union


def mask(s):
    s = s.split(" (of Python compilation")[0] if s.endswith(")") else s
    while "0x" in s:
        i = s.index("0x")
        j = i + 2
        while j < len(s) and s[j] in "0123456789abcdef":
            j += 1
        s = s[:i] + "ADDR" + s[j:]
    return s


def report(name, e):
    ls = [x for x in str(e).split("\n") if x.strip()]
    here = [x.strip() for x in ls if "<--- HERE" in x]
    print(name, type(e).__name__, "|", mask(ls[0]) if ls else "", "|", here[-1] if here else "")


def S(f):
    try:
        r = torch.jit.script(f)
        print(f.__name__, "ok", getattr(r, "schema", ""))
    except Exception as e:
        report(f.__name__, e)
    return f



def run(name, fn, *args, **kw):
    try:
        print(name, "->", fn(*args, **kw))
    except Exception as e:
        ls = [x for x in str(e).split("\n") if x.strip()]
        print(name, type(e).__name__, "|", mask(ls[0]) if ls else "", "|", mask(ls[-1]) if ls else "")


@torch.jit.script
def many(i: int, f: float, s: str, b: bool, t: Tensor) -> str:
    return s + str(i) + str(f) + str(b) + str(t.dim())


@torch.jit.script
def lists(a: List[int], b: List[float], c: List[Tensor], d: List[List[str]]) -> int:
    return len(a) + len(b) + len(c) + len(d)


@torch.jit.script
def dicts(a: Dict[str, int], b: Dict[int, Tensor]) -> int:
    return len(a) + len(b)


@torch.jit.script
def tuples(a: Tuple[int, str], b: Tuple[Tensor, Tuple[int, float]]) -> int:
    return a[0] + b[1][0]


@torch.jit.script
def dev(d: torch.device, t: torch.dtype) -> Tuple[str, bool]:
    return str(d), t == torch.float


@torch.jit.script
def number(n: float, c: complex) -> complex:
    return c * n


@torch.jit.script
def opt(a: Optional[Tensor], b: Optional[Dict[str, int]]) -> Tuple[bool, bool]:
    return a is None, b is None


@torch.jit.script
def untyped(a, b):
    return a + b


t = torch.ones(2)
run("many ok", many, 1, 2.0, "s", True, t)
run("int for float", many, 1, 2, "s", True, t)
run("bool for int", many, True, 2.0, "s", True, t)
run("int for bool", many, 1, 2.0, "s", 1, t)
run("float for int", many, 1.5, 2.0, "s", True, t)
run("float whole for int", many, 1.0, 2.0, "s", True, t)
run("none for str", many, 1, 2.0, None, True, t)
run("bytes for str", many, 1, 2.0, b"x", True, t)
run("int for tensor", many, 1, 2.0, "x", True, 5)
run("tensor for int", many, torch.tensor(3), 2.0, "x", True, t)
run("tensor for float", many, 3, torch.tensor(2.5), "x", True, t)
run("grad tensor for float", many, 3, torch.tensor(2.5, requires_grad=True), "x", True, t)
run("big tensor for int", many, t, 2.0, "x", True, t)
run("huge int", many, 2 ** 63, 2.0, "x", True, t)
run("few", many, 1, 2.0)
run("extra", many, 1, 2.0, "s", True, t, 6)
run("unknown kw", many, 1, 2.0, "s", True, tensor=t)
run("kw twice", many, 1, 2.0, "s", True, t, i=4)
run("kw ok", many, t=t, b=False, s="k", f=0.5, i=0)
run("lists ok", lists, [1], [1.0], [t], [["a"], []])
run("tuple for list", lists, (1, 2), [1.0], [t], [["a"]])
run("range for list", lists, range(3), [1.0], [t], [["a"]])
run("ints for floats", lists, [1], [1, 2], [t], [["a"]])
run("floats for ints", lists, [1.5], [1.0], [t], [["a"]])
run("mixed list", lists, [1, "a"], [1.0], [t], [["a"]])
run("tensor list", lists, [1], [1.0], t, [["a"]])
run("nested bad", lists, [1], [1.0], [t], [["a"], [2]])
run("none in list", lists, [None], [1.0], [t], [["a"]])
run("dict ok", dicts, {"a": 1}, {1: t})
run("dict bad key", dicts, {1: 1}, {1: t})
run("dict bad val", dicts, {"a": "b"}, {1: t})
run("list for dict", dicts, [("a", 1)], {1: t})
run("tuple ok", tuples, (1, "a"), (t, (2, 3.0)))
run("tuple long", tuples, (1, "a", 2), (t, (2, 3.0)))
run("list for tuple", tuples, [1, "a"], (t, (2, 3.0)))
run("tuple bad", tuples, (1, 2), (t, (2, 3.0)))
run("dev ok", dev, torch.device("cpu"), torch.float32)
run("dev str", dev, "cpu", torch.float32)
run("dtype str", dev, torch.device("cpu"), "float32")
run("number ok", number, 2.0, 1 + 1j)
run("number real", number, 2, 3)
run("number float", number, 2, 3.5)
run("opt none", opt, None, None)
run("opt bad", opt, 3, None)
run("opt bad dict", opt, None, [1])
run("untyped ok", untyped, t, t)
run("untyped int", untyped, 1, 2)
run("untyped broadcast", untyped, torch.ones(2), torch.ones(3))
run("untyped dtype", untyped, torch.ones(2), torch.ones(2, dtype=torch.int64))
run("np-like", untyped, [1.0], t)
