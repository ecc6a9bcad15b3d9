# functions that return from the middle, with different depths
from typing import Optional

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.script
def collatz(n: int, limit: int) -> Optional[int]:
    if n < 1:
        return None
    for steps in range(limit):
        if n == 1:
            return steps
        if n % 2 == 0:
            n = n // 2
            continue
        n = 3 * n + 1
    return None


@torch.jit.script
def depth(x: int) -> str:
    if x > 0:
        if x > 10:
            if x > 100:
                return "large"
            return "medium"
    else:
        return "not positive"
    return "small"


def no_return(x: int) -> int:
    if x > 0:
        return 1


print(collatz(27, 200), collatz(27, 10), collatz(0, 5))
print(depth(500), depth(50), depth(5), depth(-5))
err(torch.jit.script, no_return)
