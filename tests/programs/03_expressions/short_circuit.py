# and/or do not evaluate what they need not, and give a bool
from typing import Optional

import torch


@torch.jit.script
def noisy(x: bool, name: str) -> bool:
    print("evaluated", name)
    return x


@torch.jit.script
def both(a: bool, b: bool):
    print("and")
    r = noisy(a, "a") and noisy(b, "b")
    print("or")
    return r, noisy(a, "a") or noisy(b, "b")


@torch.jit.script
def guarded(x: Optional[int]) -> bool:
    return x is not None and x > 3


print(both(True, False))
print(both(False, True))
print(guarded(None), guarded(3), guarded(4))
