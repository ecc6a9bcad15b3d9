# the branches of a conditional expression are unified
from typing import List, Optional

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.script
def maybe(flag: bool, x: int) -> Optional[int]:
    return x if flag else None


@torch.jit.script
def nested(x: int) -> str:
    return "negative" if x < 0 else "zero" if x == 0 else "positive"


def mixed(flag: bool):
    return 1 if flag else "one"


print(maybe(True, 3), maybe(False, 3))
print(nested(-1), nested(0), nested(1))
err(lambda: torch.jit.script(mixed).schema)
