# a NamedTuple: fields by name, place and unpacking; keyword construction; defaults
from typing import List, NamedTuple, Optional

import torch


class Reading(NamedTuple):
    place: str
    values: List[float]
    limit: Optional[float] = None


@torch.jit.script
def over(r: Reading) -> int:
    limit = r.limit
    if limit is None:
        limit = 1.0
    return len([v for v in r.values]) if limit > 0.5 else -1


@torch.jit.script
def make(x: float) -> Reading:
    return Reading(values=[x, x + 1.0], place="here", limit=x)


@torch.jit.script
def apart(r: Reading):
    place, values, limit = r
    return place, r[1][0], limit is None, r.place + "!"


r = make(0.5)
print(r)
print(type(r).__name__, r._fields)
print(apart(Reading("there", [2.0])))
try:
    print(over(Reading("p", [0.5, 2.0], 0.25)))
except Exception as e:
    print(type(e).__name__)
