# slices of lists cannot be assigned; elements can, by negative places too
from typing import List

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def replace(xs: List[int]) -> List[int]:
    xs[1:3] = [20, 30]
    return xs


@torch.jit.script
def remove(xs: List[int]) -> List[int]:
    del xs[2]
    xs[-1] = -9
    return xs


@torch.jit.script
def out_of_range(xs: List[int], i: int) -> int:
    xs[i] = 0
    return xs[0]


err(torch.jit.script, replace)
print(remove([0, 1, 2, 3, 4]))
err(out_of_range, [1, 2], -2)
err(out_of_range, [1, 2], 2)
err(out_of_range, [1, 2], -3)
