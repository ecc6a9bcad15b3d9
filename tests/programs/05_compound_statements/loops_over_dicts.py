# for over a dict, its keys, values and items keeps insertion order
from typing import Dict, List

import torch


@torch.jit.script
def walk(d: Dict[str, float]):
    keys: List[str] = []
    total = 0.0
    text = ""
    for k in d:
        keys.append(k)
    for v in d.values():
        total += v
    for k, v in d.items():
        text += k + ":" + str(v) + ";"
    for k in d.keys():
        text += k
    return keys, total, text


@torch.jit.script
def invert(d: Dict[str, int]) -> Dict[int, str]:
    out: Dict[int, str] = {}
    for k, v in d.items():
        out[v] = k
    return out


print(walk({"z": 1.0, "a": 2.5, "m": -1.0}))
print(invert({"one": 1, "uno": 1, "two": 2}))
