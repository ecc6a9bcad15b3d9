"""A plain tuple is not taken where a named one is asked for; the other way round it is."""

from typing import Dict, List, NamedTuple, Optional, Tuple

import torch


class Pair(NamedTuple):
    x: int
    y: str


def returned() -> Pair:
    return (1, "a")


def optional(p: Optional[Pair]) -> Optional[Pair]:
    if p is None:
        return (1, "z")
    return p


def plain(p: Pair) -> Tuple[int, str]:
    return p


def rebuilt(p: Pair) -> Pair:
    return Pair(p.x + 1, p[1])


def nested(p: Pair) -> Tuple[Pair, int]:
    return p, 1


def inside() -> Tuple[Pair, int]:
    return (1, "a"), 2


def listed() -> List[Pair]:
    return [(1, "a")]


for f in (returned, optional, plain, rebuilt, nested, inside, listed):
    try:
        print(f.__name__, torch.jit.script(f).schema)
    except RuntimeError as error:
        print(f.__name__, str(error).strip().split("\n")[0])
