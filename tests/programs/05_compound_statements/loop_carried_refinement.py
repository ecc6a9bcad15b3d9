# what is known of an Optional before a loop must hold for each turn
from typing import List, Optional

import torch


@torch.jit.script
def last_even(xs: List[int]) -> Optional[int]:
    found: Optional[int] = None
    for x in xs:
        if x % 2 == 0:
            found = x
    return found


@torch.jit.script
def running_max(xs: List[Optional[int]]) -> int:
    best: Optional[int] = None
    for x in xs:
        if x is not None:
            if best is None or x > best:
                best = x
    if best is None:
        return -1
    return best


print(last_even([1, 2, 3, 4, 5]), last_even([1]))
print(running_max([3, None, 7, 5]), running_max([None]))
