"""Both sides of `and` and `or` are compiled, also where one decides; `.tolist()` emits its tensor twice."""
from typing import List, Optional

import torch


def literal(x: torch.Tensor):
    if True or x.foo:
        return x
    return x


def nothing(x: torch.Tensor):
    if x is None and x.foo:
        return x
    return x


def instance(x: torch.Tensor, s: str):
    if isinstance(s, int) and s > 2:
        return x
    return x + 1


def scripting(x: torch.Tensor):
    if not torch.jit.is_scripting() and x.foo:
        return x
    return x


def of_value(x: torch.Tensor):
    kept = False and x.foo
    return kept


def static_branch(x: torch.Tensor):
    y = x if True else x.foo
    if not True:
        return x.foo
    return y


def refined(x: Optional[torch.Tensor], k: int):
    if isinstance(k, int) and x is not None:
        return x.size(0)
    if isinstance(k, str) or x is None:
        return 0
    return x.size(0)


def decided(x: torch.Tensor):
    if x.size(0) > 3 or True:
        return x
    else:
        return x.foo


def elements(x: torch.Tensor):
    y = x + 1
    numbers: List[float] = (y * 2).sum(0).tolist()
    drawn: List[float] = torch.ones(2, dtype=torch.float).tolist()
    return numbers, drawn


for f in (literal, nothing, instance, scripting, of_value, static_branch, refined, decided, elements):
    try:
        print(torch.jit.script(f).graph)
    except RuntimeError as error:
        print(f"<<RuntimeError>>\n{error}\n<<end>>")
