# printed code of odd containers, constants and early exits: annotate, uninitialized, nan, big numbers, nested literals, interfaces
import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

class Bad:
    graph = code = schema = inlined_graph = "-"
    def __call__(self, *args):
        raise ValueError("not compiled")

def js(f):
    try:
        return torch.jit.script(f)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")
        return Bad()

def err(f, *args, **kw):
    try:
        r = f(*args, **kw)
        print("ok", "compiled" if isinstance(r, (torch.jit.ScriptFunction, torch.jit.ScriptModule)) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def sec(f):
    print("--", f.__name__)
    try:
        f()
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.interface
class I:
    def go(self, x: int) -> int:
        pass
@torch.jit.script
class C1:
    def __init__(self, k: int):
        self.k = k
    def go(self, x: int) -> int:
        return x * self.k
@torch.jit.script
class C2:
    def __init__(self):
        self.d = torch.jit.annotate(Dict[str, List[int]], {})
        self.o = torch.jit.annotate(Optional[int], None)
    def go(self, x: int) -> int:
        self.o = x
        self.d["k"] = [x]
        return len(self.d)
@js
def a1(i: I, n: int):
    l: List[I] = [i, C1(2)]
    d: Dict[str, I] = {"x": l[0], "y": i}
    e: Dict[str, I] = {"z": C1(3)}
    t: Tuple[I, Optional[I]] = (i, None)
    o: Optional[I] = i
    f: Dict[int, List[I]] = {1: [i]}
    g: List[Optional[I]] = [None, i]
    h: List[List[I]] = [[i]]
    l2 = [j for j in l]
    if o is not None:
        n += o.go(n)
    return n + d["x"].go(1) + e["z"].go(2) + t[0].go(3) + f[1][0].go(4) + len(g) + len(h) + len(l2)
@js
def a2(n: int):
    a: List[Optional[int]] = [1, None]
    b: List[Optional[int]] = []
    c: Dict[str, Optional[float]] = {"a": None}
    d: Dict[str, Optional[float]] = {"a": 1.0}
    e: Dict[str, torch.Tensor] = {}
    f: List[torch.Tensor] = []
    g: Dict[int, torch.Tensor] = {}
    h: List[Union[int, str]] = [1, "a"]
    i: Optional[List[int]] = None
    j: Tuple[Optional[int], List[str]] = (None, [])
    k: List[Tuple[int, Optional[str]]] = [(1, None)]
    l: List[Any] = [1, "x"]
    m: Dict[str, Any] = {"a": 1, "b": "c"}
    o: List[List[float]] = [[], [1.0]]
    p: Dict[str, Dict[str, int]] = {"a": {}}
    return a, b, c, d, e, f, g, h, i, j, k, l, m, o, p
@js
def a3(n: int):
    a: List[Optional[int]] = [1, None]
    b: List[Optional[int]] = []
    c: Dict[str, Optional[float]] = {"a": None}
    d: Dict[str, Optional[float]] = {"a": 1.0}
    e: Dict[str, torch.Tensor] = {}
    f: List[torch.Tensor] = []
    g: Dict[int, torch.Tensor] = {}
    h: List[Union[int, str]] = [1, "a"]
    i: Optional[List[int]] = None
    k: List[Tuple[int, Optional[str]]] = [(1, None)]
    o: List[List[float]] = [[], [1.0]]
    p: Dict[str, Dict[str, int]] = {"a": {}}
    return a, b, c, d, e, f, g, h, i, k, o, p
@js
def a4(x: float):
    return float("nan"), float("inf"), -float("inf"), 1e300 * 10, -0.0, 1e-320, 2 ** 62, -9223372036854775807, "a\"b'c\n\t\\\x00é", (1, (2.5, "x")), [(1, "a")], {"k": [1.0]}, 1j, -2.5j, True, None, torch.float32, torch.device("cpu"), torch.strided, ...
@js
def a5(x: float):
    return float("nan"), float("inf"), -float("inf"), 1e300 * 10, -0.0, 1e-320, 4611686018427387904, -9223372036854775807, "a\"b'c\n\t\\ é", (1, (2.5, "x")), [(1, "a")], {"k": [1.0]}, 1j, -2.5j, True, None, torch.float32, torch.device("cpu"), torch.strided
@js
def a6(x: int) -> int:
    for i in range(10):
        if i == x:
            break
        if i > 5:
            return i
        while x > i:
            x -= 1
            if x == 7:
                continue
            if x == 3:
                return -1
    else_ = 4
    return else_ + x
@js
def a7(x: int, y: Optional[int]) -> str:
    if y is None:
        return "none"
    if x > 0:
        if y > 0:
            return "pp"
        z = "p"
    else:
        assert y < 0
        if x == 0:
            raise RuntimeError("zero")
        z = "n"
    for _ in range(y):
        z += "!"
        if len(z) > 3:
            return z
    return z
@js
def a8(x: torch.Tensor, n: int):
    y = x
    while n > 0 and bool(y.sum() < 100):
        y, n = y * 2, n - 1
        if n == 5:
            break
    a, (b, c), d = n, (y, y.sum()), [n]
    x[0], d[0] = b[1], a
    d[0] += 1
    x[1:] *= 2
    x[0] -= 1
    return x, d, c, (lambda_ := 3) if False else 3
@js
def a9(x: torch.Tensor, n: int):
    y = x
    while n > 0 and bool(y.sum() < 100):
        y, n = y * 2, n - 1
        if n == 5:
            break
    a, (b, c), d = n, (y, y.sum()), [n]
    x[0], d[0] = b[1], a
    d[0] += 1
    x[1:] *= 2
    x[0] -= 1
    return x, d, c
@sec
def main():
    for f in (a1, a2, a3, a4, a5, a6, a7, a8, a9):
        print(f.code)
        print(f.graph)
    err(a1, C1(5), 2)
    err(a1, C2(), 2)
    err(a1, 3, 2)
    err(a3, 1)
    err(a5, 1.0)
    for i in (0, 2, 3, 7, 8, 20):
        err(a6, i)
    for a in ((1, None), (1, 1), (1, -1), (1, 5), (-1, -2), (0, -1), (-1, 1)):
        err(a7, *a)
    err(a9, torch.ones(3), 9)
    print(C1.__name__ if hasattr(C1, "__name__") else "", type(C2).__name__)
