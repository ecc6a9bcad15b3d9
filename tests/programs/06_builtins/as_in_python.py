# Numbers, strings, lists and dicts of scripts beside Python's on the same source.
"""Spreadsheet engine: numeric / string / list built-ins in script compared with Python on the same source."""
import cmath
import math
from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor

torch.set_printoptions(precision=4, sci_mode=False)


def int_ops(a: int, b: int) -> List[int]:
    out = [a + b, a - b, a * b, a // b, a % b, -a, a & b, a | b, a ^ b, a ^ -1, a << 2, a >> 1, abs(a), min(a, b), max(a, b), int(round(a))]
    q, r = divmod(a, b)
    out += [q, r]
    a += 3
    a -= 1
    a *= 2
    a |= 1
    out.append(a)
    return out


def float_ops(a: float, b: float) -> List[float]:
    q, r = divmod(a, b)
    return [a + b, a - b, a * b, a / b, a // b, a % b, -a, abs(a), min(a, b), max(a, b), a ** 2, 2.0 ** b, q, r]


def mixed(i: int, f: float) -> Tuple[float, float, float, float, bool, bool, float, float, float]:
    return i + f, i * f, i / 2, i ** -1, i == f, i < f, f // i, f % i, max(float(i), f)


def casts(s: str, f: float, b: bool) -> Tuple[int, float, int, int, bool, bool, bool, float, str, str, str]:
    return int(s), float(s), int(f), int(b), bool(f), bool(0), bool("x" == s), float(b), str(f), str(b), str(int(f))


def math_fns(x: float) -> List[float]:
    return [math.sin(x), math.cos(x), math.tan(x), math.asin(x), math.acos(x), math.atan(x), math.sinh(x), math.cosh(x), math.tanh(x), math.asinh(x), math.atanh(x),
            math.exp(x), math.expm1(x), math.log(x), math.log1p(x), math.log10(x), math.sqrt(x), math.pow(x, 3.0), math.atan2(x, 2.0), math.fabs(-x),
            math.copysign(x, -1.0), math.degrees(x), math.radians(x), math.fmod(7.5, x), math.gamma(x), math.lgamma(x), math.erf(x), math.erfc(x), math.ldexp(x, 3),
            math.log(x, 2.0)]


def math_ints(x: float) -> Tuple[int, int, int, int, bool, bool, bool, int, int, int]:
    return math.floor(x), math.ceil(x), int(x), int(round(x)), math.isnan(x), math.isinf(x), math.isfinite(x), math.gcd(12, 18), math.factorial(6), int(math.floor(-x))


def modf_frexp(x: float) -> Tuple[float, float, float, int]:
    a, b = math.modf(x)
    m, e = math.frexp(x)
    return a, b, m, e


def text(n: int) -> List[str]:
    return [hex(n), oct(n), bin(n), str(n), chr(n), str(ord(chr(n))), "{}".format(n), f"<{n}>", "%d" % n, hex(-n), bin(-n)]


def list_ops(xs: List[int]) -> Tuple[List[int], List[int], int, int, int, List[int], List[int], List[int], bool, int]:
    ys = xs.copy()
    ys.append(9)
    ys.insert(0, -5)
    ys.extend([4, 4])
    ys.remove(4)
    p = ys.pop(1)
    ys.reverse()
    srt = sorted(ys)
    ys[0] += 10
    ys[-1] = ys[-1] * 2
    del ys[1]
    return ys, srt, p, len(ys), sum(xs), xs[1:3], xs[::-1], xs[-2:] + [0] * 2, 9 in ys, xs.count(xs[0])


def slices(s: str, xs: List[int]) -> Tuple[str, str, str, str, List[int], List[int], List[int], List[int]]:
    return s[2:], s[:-1], s[1:4:2], s[-3:-1], xs[::2], xs[5:100], xs[-100:2], xs[3:1]


def iterate(n: int) -> List[Tuple[int, int]]:
    out: List[Tuple[int, int]] = []
    for i in range(n, 0, -2):
        out.append((i, -i))
    for i, v in enumerate([10, 20], 5):
        out.append((i, v))
    for a, b in zip([1, 2, 3], [7, 8]):
        out.append((a, b))
    for v in [1, 2][::-1]:
        out.append((v, 0))
    for i in range(2, 12, 3):
        if i == 5:
            continue
        if i > 8:
            break
        out.append((i, 100))
    k = 0
    while True:
        k += 1
        if k % 2 == 0:
            continue
        if k > 6:
            break
        out.append((k, k * k))
    return out


def logic(a: bool, b: bool, x: int) -> List[bool]:
    return [a and b, a or b, not a, a == b, a != b, 1 < x, 1 < x and x <= 5, x in [1, 2, 3], x not in [1, 2], any([a, b]), all([a, b]), a ^ b, a & b, a | b, bool(x), a if x > 2 else b]


def dict_ops(d: Dict[str, int]) -> Tuple[List[str], List[int], List[Tuple[str, int]], int, int, bool, Dict[str, int]]:
    e = d.copy()
    e["z"] = 26
    e.update({"a": 100})
    del e["b"]
    got = e.setdefault("new", 5)
    popped = e.pop("z")
    if "q" not in e:
        e["q"] = len(e)
    inv = {v: k for k, v in d.items()}
    return list(d.keys()), list(e.values()), list(e.items()), got + popped, e.get("nope", -1), "a" in e and 1 in inv, {k: v * 2 for k, v in d.items()}


def unpacking(t: Tuple[int, Tuple[str, float]], xs: List[int]) -> Tuple[int, str, float, int, Tuple[int, int], int]:
    a, (b, c) = t
    x, y, z = xs
    x, y = y, x
    head, *rest = (1, 2, 3)
    return a, b, c, x * 100 + y * 10 + z, rest, len(rest) + head


def agg(xs: List[float]) -> Tuple[float, float, float, List[float], List[float], int]:
    ys = sorted(xs)
    ys.sort(reverse=True)
    return min(xs), max(xs), sum(xs), ys, [x * 2 for x in xs], xs.index(max(xs))


def rounding(x: float) -> Tuple[float, float, int, int, float]:
    return float(round(x)), float(round(-x)), math.floor(x + 0.5), int(-x), float(int(x * 100)) / 100


def early(x: Optional[int], y: Optional[int] = None) -> int:
    if x is None:
        return -1
    if y is None:
        y = x * 2
    z = x + y
    return z if z % 2 == 0 else z + 1


def compare_lists(a: List[int], b: List[int]) -> Tuple[bool, bool, bool, bool, bool]:
    return a == b, a != b, ["a"] == ["a"], "abc" < "abd", [1.0, 2.0] == [1.0, 2.0]


def cplx(z: complex) -> Tuple[complex, float, float, float, complex, bool]:
    return z * 2 + 1j, abs(z), abs(z * z), abs(-z), complex(1.0, -2.0) / z, z == z


def tensor_scalars(t: Tensor) -> Tuple[int, float, bool, List[int], int, float, Tensor, Tensor, bool]:
    return int(t[0]), float(t[1]), bool(t[2] > 0), list(t.shape), len(t), t.sum().item(), 5 - t, t // 2, t.dtype == torch.float32


def printing(n: int, s: str) -> None:
    print("n is", n, "and s is", s)
    print([n, n + 1], (n, s), {"k": n}, 1.5, True, None)
    print()
    print(f"f {n} {s}", 1e10, 0.1, -0.0, float("inf"), float("nan"), 3.0)


def r(v):
    if isinstance(v, float):
        return float(f"{v:.6g}")
    if isinstance(v, complex):
        return complex(r(v.real), r(v.imag))
    if isinstance(v, (list, tuple)):
        return type(v)(r(e) for e in v)
    if isinstance(v, dict):
        return {k: r(e) for k, e in v.items()}
    return v


def run(fn, *args):
    try:
        s = torch.jit.script(fn)
    except Exception as e:
        print(fn.__name__, "does not compile:", type(e).__name__, [ln for ln in str(e).splitlines() if ln.strip()][0])
        return
    try:
        got = r(s(*args))
    except Exception as e:
        print(fn.__name__, args, "->", type(e).__name__, str(e).strip().splitlines()[-1])
        return
    try:
        same = repr(r(fn(*args))) == repr(got)
    except Exception as e:
        same = type(e).__name__
    print(fn.__name__, args, "->", got, "| same as python:", same)


for a, b in ((7, 3), (-7, 3), (7, -3)):
    run(int_ops, a, b)
    run(float_ops, float(a) + 0.5, float(b))
run(mixed, 2, 7.5)
run(mixed, -4, 2.0)
run(casts, "12", 3.99, True)
run(casts, " 7 ", -3.99, False)
run(math_fns, 0.5)
for x in (2.5, -2.5, 3.5, 1e10):
    run(math_ints, x)
run(modf_frexp, -3.75)
run(text, 97)
run(list_ops, [4, 1, 4, 2])
run(slices, "abcdef", [0, 1, 2, 3, 4])
run(iterate, 5)
run(logic, True, False, 3)
run(logic, False, False, 0)
run(dict_ops, {"a": 1, "b": 2, "c": 3})
run(unpacking, (1, ("s", 2.5)), [3, 4, 5])
run(agg, [2.0, -1.0, 7.5])
for x in (0.5, 1.5, 2.567):
    run(rounding, x)
run(early, None)
run(early, 3)
run(early, 3, 4)
run(compare_lists, [1, 2], [1, 2])
run(cplx, 3 - 4j)
run(tensor_scalars, torch.tensor([3.7, 2.5, -1.0]))
torch.jit.script(printing)(3, "x")
