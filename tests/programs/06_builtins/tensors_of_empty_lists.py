# Tensors of empty lists in scripts have the dtype of the list's type, and a warning says so.
import warnings
from typing import List

import torch


def ints(k: List[int]):
    return torch.tensor(k)


def floats(k: List[float]):
    return torch.tensor(k)


def rows(k: List[List[int]]):
    return torch.tensor(k)


def kept(k: List[int]):
    return torch.as_tensor(k)


def bools(k: List[bool]):
    return torch.tensor(k)


def told(k: List[int]):
    return torch.tensor(k, dtype=torch.float32)


for function, given in ((ints, []), (floats, []), (rows, []), (rows, [[]]), (kept, []), (bools, []), (told, []), (ints, [1])):
    script = torch.jit.script(function)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = script(given)
        print(function.__name__, result.shape, result.dtype, [str(w.message).split(" (Triggered")[0] for w in seen])
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    torch.ones(2).new_tensor(torch.ones(2))
    torch.tensor(torch.ones(2))
    print([str(w.message)[-45:] for w in seen])
