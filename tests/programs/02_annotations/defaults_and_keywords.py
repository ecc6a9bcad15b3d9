# default values and keyword calls; keyword-only parameters may not have defaults
from typing import List, Optional

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def scale(x: float, factor: float = 2.0, offset: float = 0.0, label: str = "r") -> str:
    return label + "=" + str(x * factor + offset)


@torch.jit.script
def calls(x: float):
    return scale(x), scale(x, 3.0), scale(x, offset=1.0), scale(factor=0.5, x=x, label="q")


def keyword_only(x: int, *, y: int) -> int:
    return 10 * x + y


def keyword_only_default(x: int, *, y: int = 1) -> int:
    return 10 * x + y


@torch.jit.script
def fill(n: int, value: int = 7, tail: Optional[List[int]] = None) -> List[int]:
    out = [value] * n
    if tail is not None:
        out += tail
    return out


s = torch.jit.script(scale)
print(s.schema)
print(calls(1.5))
print(fill(2), fill(1, 3), fill(1, tail=[1, 2]), fill(value=0, n=3))
print(fill.schema)
print(torch.jit.script(keyword_only)(1, y=2), torch.jit.script(keyword_only).schema)
err(torch.jit.script, keyword_only_default)
