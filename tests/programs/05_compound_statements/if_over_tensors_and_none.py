# conditions may be tensors with one element; ifs may define names on both sides
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
def sign(x: torch.Tensor) -> int:
    if x > 0:
        s = 1
    elif bool((x < 0).all()):
        s = -1
    else:
        s = 0
    return s


@torch.jit.script
def with_bias(x: torch.Tensor, bias: Optional[torch.Tensor]) -> torch.Tensor:
    if bias is None:
        bias = torch.zeros_like(x)
    return x + bias


print(sign(torch.tensor(2.0)), sign(torch.tensor([-3])), sign(torch.zeros(1)))
print(with_bias(torch.ones(2), None), with_bias(torch.ones(2), torch.tensor([1.0, 2.0])))
err(sign, torch.ones(2))
