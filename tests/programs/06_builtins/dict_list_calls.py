# dict() and list() of what has pairs, keys or steps
import torch
from typing import Dict, List, Tuple

def f(xs: List[Tuple[str, int]], d: Dict[str, int]):
    return dict(xs), dict([("a", 1)]), dict(zip(["a"], [1])), dict(a=1, b=2), dict(d, z=3), list(d), list(d.items()), list(range(2))

s = torch.jit.script(f)
print(s.code)
print(s([("k", 5)], {"b": 7}))
