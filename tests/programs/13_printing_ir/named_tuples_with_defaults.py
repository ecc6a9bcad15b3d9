# graphs show the defaults of NamedTuples
import torch
from typing import Dict, List, NamedTuple, Optional

class N(NamedTuple):
    a: int
    b: Optional[str] = None
    c: float = 2.5
    d: str = "q"
    e: bool = True

def f(n: N, m: List[N]):
    return n, [n], {"a": n}, N(1), N(2, "x", d="y")

s = torch.jit.script(f)
print(s.graph)
print(s.schema)
print(s.code)
print(s(N(3), []))
