# Any carries a value through; isinstance gives it back
from typing import Any, List

import torch


@torch.jit.script
def tag(x: Any) -> str:
    if isinstance(x, torch.Tensor):
        return f"tensor with {x.numel()} elements"
    if isinstance(x, str):
        return "text " + x
    if isinstance(x, float):
        return "float" if x != 0.5 else "a half"
    if isinstance(x, List[int]):
        return f"{len(x)} ints"
    return "something else"


@torch.jit.script
def pass_through(x: Any) -> Any:
    return x


for value in [torch.zeros(2, 3), "abc", 0.5, 1.5, [1, 2], True, None, (1, 2)]:
    print(tag(value))
print(pass_through([1, 2]), pass_through({"a": 1.5}), pass_through(None))
