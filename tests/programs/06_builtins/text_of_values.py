# str() of every kind of value
from typing import Dict, List, Optional

import torch


@torch.jit.script
def scalars(i: int, x: float, b: bool, z: complex):
    return [str(i), str(x), str(b), str(z), str("as is"), str(None)]


@torch.jit.script
def containers(xs: List[float], d: Dict[str, List[int]], o: Optional[int]):
    return [str(xs), str(d), str((1, "a", 2.0)), str(o), str(["q", "r"])]


@torch.jit.script
def tensors(t: torch.Tensor) -> str:
    return str(t)


for text in scalars(-3, 0.1, True, 1 + 2j) + containers([1.0, 2.5, 1e20, 1e-7], {"k": [1, 2]}, None):
    print(text)
print(tensors(torch.tensor([[1.5, -2.0], [0.25, 1000.0]])))
print(tensors(torch.tensor([1, 2, 3])))
