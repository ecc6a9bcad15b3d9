"""`[]` of which nobody says what it holds becomes a list late: it has no name, and a number of its own."""

import torch


def collected(x: torch.Tensor):
    parts = []
    for row in x.unbind(0):
        parts.append(row * 2)
    return torch.stack(parts)


def in_branches(x: torch.Tensor, flag: bool):
    if flag:
        found = [x]
    else:
        found = []
    return found


def grown(x: torch.Tensor, n: int):
    seen = []
    for i in range(n):
        inner = []
        inner.append(x)
        if i == 2:
            continue
        seen += [inner[0]]
    return seen, []


def dicts_keep_names(x: torch.Tensor):
    table = {}
    table["x"] = x
    return table


for function in (collected, in_branches, grown, dicts_keep_names):
    scripted = torch.jit.script(function)
    print(scripted.graph)
    print(scripted.code)


def emptied(x: torch.Tensor, flag: bool):
    kept = [x]
    if flag:
        kept = []
    for i in range(3):
        kept = []
    kept = []
    return kept, 3


print(torch.jit.script(emptied).graph)
