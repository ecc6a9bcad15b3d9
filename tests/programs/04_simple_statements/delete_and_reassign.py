# del of list elements, dict entries and slices; a name may be deleted and made again
from typing import Dict, List

import torch


@torch.jit.script
def elements(xs: List[int], d: Dict[str, int]):
    del xs[1]
    del xs[-1]
    del d["b"]
    y = 3
    del y
    y = 4
    return xs, d, y


@torch.jit.script
def rebind(x: int):
    x = x + 1
    s = "a"
    s = s + str(x)
    return s


print(elements([1, 2, 3, 4], {"a": 1, "b": 2}))
print(rebind(1))
