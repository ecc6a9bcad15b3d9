from typing import Dict, Tuple

import torch


@torch.jit.script
def f(x: torch.Tensor) -> Dict[str, Tuple[torch.Tensor, torch.Tensor]]:
    return {"a": (x + 1, x + 2), "b": (x * 2, x * 3)}


@torch.jit.script
def g(d: Dict[str, Tuple[torch.Tensor, torch.Tensor]], l: Tuple[torch.Tensor, Dict[str, torch.Tensor]]) -> torch.Tensor:
    return d["a"][0] + d["b"][1] + l[1]["q"]


def given(x):
    d = f(x)
    return d["a"][0] * d["b"][1]


def taken(x):
    return g({"a": (x, x + 1), "b": (x * 2, x + 3)}, (x, {"q": x * 5}))


def both(x):
    return g(f(x), (x, {"q": x}))


for function in (given, taken, both):
    traced = torch.jit.trace(function, torch.ones(2))
    other = torch.full((2,), 3.0)
    print(traced.code, traced(other), function(other))
