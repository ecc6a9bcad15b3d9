import torch
from typing import Dict, List, Optional, Tuple, Union


@torch.jit.script
def dflt(x: Optional[int], d: int) -> int:
    if x is None:
        return d
    return x + d


@torch.jit.script
def both(a: Optional[torch.Tensor], b: Optional[torch.Tensor]) -> str:
    if a is not None and b is not None:
        return "both %d" % (a + b).numel()
    elif a is not None:
        return "a " + str(a.dim())
    elif b is not None or a is None:
        if b is None:
            return "neither"
        return "b " + str(b.size(0))
    return "?"


@torch.jit.script
def early_exit(x: Optional[List[int]]) -> int:
    if x is None:
        return -1
    total = 0
    for v in x:
        total += v
    return total


@torch.jit.script
def asserted(x: Optional[float]) -> float:
    assert x is not None, "need x"
    return x * 2


@torch.jit.script
def kind(x: Union[int, float, str, List[int]]) -> str:
    if isinstance(x, int):
        return "int " + str(x + 1)
    elif isinstance(x, float):
        return "float " + str(x / 2)
    elif isinstance(x, str):
        return "str " + x.upper()
    else:
        return "list " + str(len(x))


@torch.jit.script
def two(x: Union[int, str, None]) -> str:
    if x is None:
        return "none"
    if isinstance(x, (int, str)):
        y = x
        if isinstance(y, int):
            return "i%d" % y
    return "s"


@torch.jit.script
def rebind(flag: bool) -> Optional[str]:
    r: Optional[str] = None
    if flag:
        r = "set"
    return r


@torch.jit.script
def ternary(x: Optional[int]) -> int:
    y = 0 if x is None else x * x
    z = x if x is not None else -7
    return y + z


@torch.jit.script
def while_none(n: int) -> Tuple[int, Optional[int]]:
    cur: Optional[int] = n
    c = 0
    while cur is not None:
        v = torch.jit._unwrap_optional(cur)
        c += v
        if v <= 0:
            cur = None
        else:
            cur = v - 1
    return c, cur


@torch.jit.script
def opt_dict(d: Dict[str, Optional[int]]) -> List[int]:
    out: List[int] = []
    for k in d.keys():
        v = d[k]
        if v is not None:
            out.append(v)
        else:
            out.append(-len(k))
    return out


@torch.jit.script
def unwrapped(x: Optional[int]) -> int:
    return torch.jit._unwrap_optional(x) + 1


@torch.jit.script
def opt_list(x: Optional[List[Optional[str]]] = None) -> str:
    if x is None:
        x = torch.jit.annotate(List[Optional[str]], [])
    s = ""
    for e in x:
        s += e if e is not None else "-"
    return s


@torch.jit.script
def pep604(a: int | None, b: str | int) -> str:
    t = "n" if a is None else str(a)
    if isinstance(b, str):
        return t + b
    return t + "#" + str(b)


print(dflt(None, 4), dflt(3, 4))
t = torch.ones(2, 3)
print(both(t, t), both(t, None), both(None, t), both(None, None))
print(early_exit(None), early_exit([]), early_exit([1, 2, 3]))
print(asserted(1.5))
print(kind(3), kind(3.0), kind("abc"), kind([1, 2]))
print(two(None), two(5), two("x"))
print(rebind(True), rebind(False), ternary(None), ternary(3), while_none(4))
print(opt_dict({"a": 1, "bb": None}))
print(unwrapped(4))
print(repr(opt_list()), opt_list(["a", None, "b"]))
print(pep604(None, "z"), pep604(2, 9))
for f in (lambda: asserted(None), lambda: unwrapped(None), lambda: kind(None), lambda: dflt("s", 1), lambda: kind([1.5])):
    try:
        print(f())
    except Exception as e:
        ls = str(e).strip().split("\n")
        print(type(e).__name__, "|", ls[0], "|", ls[-1])
for f in (dflt, both, kind, two, pep604, opt_list):
    print(f.schema)
