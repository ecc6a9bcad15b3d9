# tuples: nesting, passing and returning; there is no comparison of tuples
from typing import List, Tuple

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


@torch.jit.script
def swap(p: Tuple[int, str]) -> Tuple[str, int]:
    return p[1], p[0]


@torch.jit.script
def bounds(points: List[Tuple[float, float]]) -> Tuple[Tuple[float, float], Tuple[float, float]]:
    low, high = points[0], points[0]
    for x, y in points:
        low = (min(low[0], x), min(low[1], y))
        high = (max(high[0], x), max(high[1], y))
    return low, high


def same(a: Tuple[int, str], b: Tuple[int, str]):
    return a == b


print(swap((1, "one")))
print(bounds([(0.5, 2.0), (-1.0, 3.5), (4.0, -2.5)]))
err(torch.jit.script, same)
