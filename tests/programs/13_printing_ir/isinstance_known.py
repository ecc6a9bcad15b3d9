# isinstance of what the type says already is written down as a cast
import torch
from typing import List, Optional, Union

def f(x: int):
    if isinstance(x, str):
        return 0
    return x + 1

def g(x: List[int]):
    if isinstance(x, (list, tuple)) and len(x) > 1:
        return x[1]
    return 0

def h(x: Optional[int]):
    assert not isinstance(x, str)
    return x is None

for fn in (f, g, h):
    s = torch.jit.script(fn)

    print(s.code)
