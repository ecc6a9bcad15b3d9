# an Optional inside a tuple needs a local name to be refined
from typing import List, Optional, Tuple

import torch


@torch.jit.script
def pick(pairs: List[Tuple[str, Optional[int]]], missing: int) -> int:
    total = 0
    for name, value in pairs:
        if value is None:
            total += missing
        else:
            total += value * len(name)
    return total


@torch.jit.script
def first_known(a: Optional[int], b: Optional[int], c: int) -> int:
    if a is not None:
        return a
    if b is None:
        return c
    return b


print(pick([("a", 1), ("bb", None), ("ccc", 3)], 100))
print(first_known(None, None, 3), first_known(None, 2, 3), first_known(1, 2, 3))
print(pick.schema)
