import torch
from typing import List, Optional, Tuple, Dict
import warnings


def S(f):
    try:
        return torch.jit.script(f)
    except Exception as e:
        ls = [x for x in str(e).split("\n") if x.strip()]
        print("SCRIPT", f.__name__, type(e).__name__, "|", ls[0])
        return None


@S
def both_branches(x: int) -> int:
    if x > 0:
        y = 1
        z = 5
    else:
        y = 2
    return y


@S
def one_branch(x: int) -> int:
    if x > 0:
        z = 5
    return z


@S
def loop_defined(n: int) -> int:
    for i in range(n):
        q = i
    return q


@S
def retype(x: int) -> str:
    x = str(x)
    return x


@S
def retype_branch(x: int):
    if x > 1:
        y = 1
    else:
        y = "s"
    return y


@S
def mixed_ret(x: int):
    if x > 1:
        return 1
    return 2.0


@S
def shadow(xs: List[int]) -> Tuple[int, List[int]]:
    x = 100
    ys = [x * 2 for x in xs]
    return x, ys


@S
def swap(a: int, b: int, c: int) -> Tuple[int, int, int]:
    a, b, c = c, a, b
    a, b = b, a
    return a, b, c


@S
def chained() -> Tuple[int, int]:
    a = b = 7
    a += 1
    return a, b


@S
def alias() -> Tuple[List[int], List[int], bool]:
    a = [1]
    b = a
    b.append(2)
    c = a + [3]
    c.append(4)
    return a, c, a is b if False else True


@S
def const_fold(x: int) -> int:
    if False:
        return undefined_thing(x)
    if not torch.jit.is_scripting():
        return also_undefined(x)
    if True:
        return x + 1


@S
def tern(x: int) -> Tuple[int, str, float]:
    return (1 if x > 0 else -1 if x < 0 else 0), ("a" if x else "b"), (0.5 if x == 3 else 2.0)


@S
def and_or(a: int, log: List[str]) -> bool:
    return (a > 0 and add(log, "p")) or (a < 0 and not add(log, "n")) or add(log, "z")


def add(log: List[str], s: str) -> bool:
    log.append(s)
    return s == "p"


@S
def and_or2(a: int, log: List[str]) -> bool:
    return (a > 0 and add(log, "p")) or (a < 0 and not add(log, "n")) or add(log, "z")


@S
def warned(x: int) -> int:
    warnings.warn("careful")
    return x


@S
def deep(n: int) -> List[str]:
    out: List[str] = []
    for i in range(n):
        for j in range(n):
            if (i + j) % 2 == 0:
                if i == j:
                    continue
                k = 0
                while True:
                    k += 1
                    if k * i > j:
                        break
                    if k > 4:
                        out.append("gave up")
                        break
                out.append(f"{i}{j}{k}")
            elif i > j:
                break
    return out


@S
def pass_only(x: int):
    pass


@S
def with_block(x: torch.Tensor) -> Tuple[torch.Tensor, bool]:
    with torch.no_grad():
        y = x * 2
    return y, y.requires_grad


def attempt(name, f, *a):
    if f is None:
        return
    try:
        print(name, "->", f(*a))
    except Exception as e:
        ls = [x for x in str(e).split("\n") if x.strip()]
        print(name, type(e).__name__, "|", ls[0] if ls else "", "|", ls[-1] if ls else "")


for x in (3, -3):
    attempt("both", both_branches, x)
    attempt("retype_branch", retype_branch, x)
    attempt("mixed_ret", mixed_ret, x)
    attempt("const_fold", const_fold, x)
for x in (3, 0, -2):
    attempt("tern", tern, x)
    log = []
    attempt("and_or", and_or, x, log)
    attempt("and_or2", and_or2, x, log)
    print(log)
attempt("retype", retype, 4)
attempt("shadow", shadow, [1, 2])
attempt("swap", swap, 1, 2, 3)
attempt("chained", chained)
attempt("alias", alias)
attempt("warned", warned, 2)
attempt("deep", deep, 5)
attempt("pass", pass_only, 1)
attempt("with", with_block, torch.ones(2, requires_grad=True))
print(retype_branch.schema if retype_branch else None)
print(mixed_ret.schema if mixed_ret else None)
print(both_branches.code)
