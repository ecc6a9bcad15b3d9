# Odd corners of control flow and typing.
import torch
from typing import List, Optional, Dict, Tuple, Union, Any


@torch.jit.script
def nested_breaks(n: int) -> Tuple[List[str], int]:
    log: List[str] = []
    total = 0
    for i in range(n):
        if i % 5 == 3:
            continue
        j = 0
        while True:
            j += 1
            if j > i:
                break
            if (i + j) % 3 == 0:
                continue
            total += i * j
            if total > 40:
                log.append("full at %d,%d" % (i, j))
                return log, total
        else_ran = j == i + 1
        log.append(f"{i}:{j}:{else_ran}")
    return log, total


@torch.jit.script
def refine(x: Optional[int], y: Optional[int]) -> int:
    if x is None and y is None:
        return -1
    if x is not None and y is not None and x > y:
        return x - y
    if x is None:
        assert y is not None
        return y
    z = x if y is None else x + y
    return z


@torch.jit.script
def kind(v: Union[int, str, List[float]]) -> str:
    if isinstance(v, int):
        return "int " + str(v + 1)
    elif isinstance(v, str):
        return "str " + v.upper()
    else:
        return "floats " + str(len(v))


@torch.jit.script
def anykind(v: Any) -> str:
    if isinstance(v, bool):
        return "bool"
    if isinstance(v, (int, float)):
        return "number"
    if isinstance(v, torch.Tensor):
        return "tensor" + str(v.dim())
    if isinstance(v, List[int]):
        return "ints:" + str(len(v))
    if v is None:
        return "none"
    return "other"


@torch.jit.script
def chain(a: int, b: float, c: int) -> List[bool]:
    return [a < b < c, a <= b != c, not a < b, a == b == c, a is None, bool(a) and b > 0 or c > 0]


@torch.jit.script
def shadow(x: int) -> int:
    for x in range(x, x + 3):
        pass
    y = 0
    for i, (p, q) in enumerate(zip([1, 2, 3], ["a", "bb", "ccc"])):
        y += i * p * len(q)
    return x * 100 + y


@torch.jit.script
def ints(a: int, b: int) -> List[int]:
    return [a // b, a % b, a & b, a | b, a ^ b, a << 2, a >> 1, -a, abs(a), int(a ** 2), min(a, b), max(a, b), int(a / b), int(round(a / b))]


@torch.jit.script
def floats(a: float, b: float) -> List[float]:
    return [a // b, a % b, a ** b, float(int(a)), round(a), abs(a), min(a, b), a - b, float("inf") - a]


@torch.jit.script
def tern(t: torch.Tensor) -> torch.Tensor:
    if t.sum() > 0:
        r = t * 2
    elif bool((t == 0).all()):
        r = t + 1
    else:
        r = -t
    while r.max() < 20:
        r = r * 3 if r.numel() > 1 else r + 10
    return r


@torch.jit.script
def comps(xs: List[int]) -> Tuple[List[int], Dict[int, str], List[List[int]], bool, bool, int]:
    sq = [x * x if x % 2 == 1 else -x for x in xs]
    d = {x: "v" + str(x) for x in xs}
    tri = [[j for j in range(i)] for i in range(3)]
    return sq, d, tri, any([x > 3 for x in xs]), all([x > 0 for x in xs]), sum(xs)


@torch.jit.script
def unpack(t: Tuple[int, Tuple[str, float]], xs: List[int]) -> str:
    a, (b, c) = t
    p, q = xs
    (u, v), w = (p, q), a
    return "{} {} {} {} {} {}".format(a, b, c, u, v, w)


def src_error(f):
    try:
        torch.jit.script(f)
        print(f.__name__, "compiled")
    except Exception as e:
        print(f.__name__, type(e).__name__, [l for l in str(e).split("\n") if l.strip()][0].strip())


def bad_type(x: int):
    if x > 0:
        y = 1
    else:
        y = "s"
    return y


def bad_undefined(x: int):
    if x > 0:
        z = 1
    return z


def bad_return(x: int) -> str:
    return x


def bad_loopvar(x: int):
    v = 1
    for i in range(x):
        v = v * 0.5
    return v


def ok_raise(x: int):
    if x > 0:
        y = 1
    else:
        raise RuntimeError("no")
    return y


def bad_opt(x: Optional[int]):
    return x + 1


def aug_mod(x: int, y: int):
    x %= y
    return x


def aug_shift(x: int):
    x >>= 1
    return x


def filtered(x: List[int]):
    return [i for i in x if i > 0]


def invert(x: int):
    return ~x


def str_times(s: str):
    return s * 3


print(nested_breaks(3), nested_breaks(20))
print([refine(a, b) for a, b in [(None, None), (5, 2), (2, 5), (None, 7), (4, None)]])
print(kind(4), kind("abc"), kind([1.0, 2.0]))
print([anykind(v) for v in (True, 3, 2.5, torch.ones(2, 3), [1, 2], None, "s")])
print(chain(1, 2.5, 3), chain(2, 2.0, 2), chain(0, -1.0, -3))
print(shadow(4))
print(ints(17, 5), ints(-17, 5), ints(17, -5))
print([round(v, 4) for v in floats(7.5, 2.0)], [round(v, 4) for v in floats(-7.5, 2.0)])
print(tern(torch.tensor([1.0, 2.0])), tern(torch.zeros(2)), tern(torch.tensor([-3.0])))
print(comps([1, 2, 3, 5]), comps([]))
print(unpack((1, ("x", 2.5)), [7, 8]))
for call in [lambda: unpack((1, ("x", 2.5)), [7]), lambda: ints(1, 0), lambda: kind(2.5), lambda: tern(torch.ones(2, dtype=torch.bool)).sum(),
             lambda: refine("a", 1)]:
    try:
        print(call())
    except Exception as e:
        ls = [l.strip() for l in str(e).split("\n") if l.strip()]
        print(type(e).__name__, ls[0] if "Cast error" in ls[-1] else ls[-1])
for f in (bad_type, bad_undefined, bad_return, bad_loopvar, ok_raise, bad_opt, aug_mod, aug_shift, filtered, invert, str_times):
    src_error(f)
