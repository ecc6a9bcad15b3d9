"""`...` is no part of a type; functions that call one another are recursion."""

import torch
from typing import Dict, List, Tuple
def a(x: Tuple[int, ...]) -> int: return len(x)
def b(x: List[...]) -> int: return 1
def c(x: Dict[str, ...]) -> int: return 1
def d(x: "Tuple[int, ...]") -> int: return 1
def e() -> Tuple[int, ...]: return (1,2)
def f(x):
    # type: (Tuple[int, ...]) -> int
    return 1
def g():
    y: Tuple[int, ...] = (1,2)
    return y
def h():
    return torch.jit.annotate(Tuple[int, ...], (1,2))
class _M(torch.nn.Module):
    k: Tuple[int, ...]
    def __init__(self):
        super().__init__(); self.k=(1,2)
    def forward(self): return self.k
class N(torch.nn.Module):
    def __init__(self):
        super().__init__(); self.k: Tuple[int, ...]=(1,2)
    def forward(self): return self.k
def even(n: int) -> bool: return True if n==0 else odd(n-1)
def odd(n: int) -> bool: return False if n==0 else even(n-1)
def selfr(n: int) -> int: return selfr(n-1)
for k in [a, b, c, d, e, f, g, h, N, even, selfr]:
    try:
        s=torch.jit.script(k() if isinstance(k,type) else k); print(k.__name__,'ok', s.schema if hasattr(s,'schema') else s.forward.schema if hasattr(s.forward,'schema') else '')
    except BaseException as ex: print(k.__name__, type(ex).__name__, str(ex) if k is not even else '')
