# min and max of two, of three, of lists and of mixed numbers; tensors have methods for it
from typing import List

import torch

def err(f, *args):
    try:
        print(f(*args))
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

@torch.jit.script
def scalars(a: int, b: int, x: float):
    return min(a, b), max(a, b, 5), min(x, 2.5), max(a, x), min(x, a)


@torch.jit.script
def lists(xs: List[int], ys: List[float]):
    return min(xs), max(xs), min(ys), max(ys), max(xs, [2, 0])


@torch.jit.script
def tensors(a: torch.Tensor, b: torch.Tensor):
    return max(a), min(b)


@torch.jit.script
def empty(xs: List[int]) -> int:
    return max(xs)


print(scalars(3, -4, 2.75))
print(lists([3, 1, 2], [0.5, -0.5]))
err(tensors, torch.tensor([1, 5, 2]), torch.tensor([[1.5], [0.5]]))
err(tensors, torch.tensor(3), torch.tensor(2.5))
err(empty, [])
