# a Union narrows member by member
from typing import List, Union

import torch


@torch.jit.script
def describe(x: Union[int, str, List[int]]) -> str:
    if isinstance(x, int):
        return f"int {x + 1}"
    elif isinstance(x, str):
        return "str " + x.upper()
    else:
        return f"list of {len(x)}"


@torch.jit.script
def widen(flag: bool) -> Union[int, str]:
    if flag:
        return 7
    return "seven"


print(describe(41), describe("abc"), describe([1, 2, 3]))
print(widen(True), widen(False))
print(describe.schema)
