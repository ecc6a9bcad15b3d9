# lists in dicts in lists; inner containers are shared, not copied
from typing import Dict, List

import torch


@torch.jit.script
def group(words: List[str]) -> Dict[int, List[str]]:
    groups: Dict[int, List[str]] = {}
    for w in words:
        if len(w) not in groups:
            groups[len(w)] = torch.jit.annotate(List[str], [])
        groups[len(w)].append(w)
    return groups


@torch.jit.script
def shared(n: int) -> List[List[int]]:
    row = [0] * n
    rows = [row, row, [9]]
    rows[0].append(1)
    rows[2] += [8]
    return rows


print(group(["a", "bb", "c", "dd", "eee"]))
print(shared(2))
