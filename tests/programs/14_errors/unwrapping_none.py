# using an Optional without a check, and assertions that a value is there
from typing import Optional

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def unchecked(x: Optional[int]) -> int:
    return x + 1


@torch.jit.script
def checked(x: Optional[int]) -> int:
    assert x is not None, "x is needed"
    return x + 1


@torch.jit.script
def unwrapped(x: Optional[torch.Tensor]) -> torch.Tensor:
    return torch.jit._unwrap_optional(x)


err(torch.jit.script, unchecked)
err(checked, 1)
err(checked, None)
err(unwrapped, torch.tensor([1, 2]))
err(unwrapped, None)
