# an Enum as argument, result, dict value, in comparisons; name and value
from enum import Enum
from typing import List

import torch


class Light(Enum):
    RED = "stop"
    GREEN = "go"
    AMBER = "wait"


def following(light: Light) -> Light:
    if light == Light.RED:
        return Light.GREEN
    elif light == Light.GREEN:
        return Light.AMBER
    return Light.RED


@torch.jit.script
def cycle(start: Light, n: int) -> List[str]:
    out: List[str] = []
    for _ in range(n):
        out.append(start.name + "=" + start.value)
        start = following(start)
    return out


@torch.jit.script
def members() -> List[str]:
    return [light.name for light in Light]


print(cycle(Light.GREEN, 4))
print(torch.jit.script(following)(Light.AMBER), torch.jit.script(following).schema)
print(members())
