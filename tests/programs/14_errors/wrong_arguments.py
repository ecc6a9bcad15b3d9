# calls with too few, too many, unknown or wrongly typed arguments
from typing import Dict, List, Tuple

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.script
def f(a: int, b: str = "x", c: float = 1.0) -> str:
    return b + str(a) + str(c)


@torch.jit.script
def g(d: Dict[str, int], t: Tuple[int, int]) -> int:
    return d["a"] + t[0]


err(f)
err(f, 1)
err(f, "1")
err(f, 1, "y", 2.0, 4)
err(lambda: f(1, z=3))
err(f, 1, "y", 2)
err(f, 1, "y", [2.0])
err(f, 2.5)
err(f, None)
err(g, {"a": 1}, (1, 2, 3))
err(g, {1: 1}, (1, 2))
err(g, [1], (1, 2))
