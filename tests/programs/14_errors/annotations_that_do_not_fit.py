"""Lists, dicts and calls where an annotation asks for something else."""

from typing import Any, Dict, List, NamedTuple, Optional, Union

import torch


def show(f):
    try:
        torch.jit.script(f)
        print("fits")
    except Exception as e:
        print("<<" + type(e).__name__ + ">>")
        print("message", e)
        print("<<end>>")


def number():
    x: int = [1]
    return x


def optional():
    x: Optional[int] = [1]
    return x


def union():
    x: Union[int, str] = {1: 2}
    return x


def comprehension():
    x: int = {i: i for i in range(3)}
    return x


def keys():
    x: Dict[str, int] = {i: 2 for i in range(2)}
    return x


def values():
    x: Dict[str, int] = {i: 2.0 for i in ["a"]}
    return x


def missing():
    m = ["foo", "bar"]
    x: Dict[str, Optional[int]] = {word: None for word in m}
    return x


def retyped():
    x = []
    if 1 == 1:
        x = [1, 2]
    return x


def unpacked(t: Any):
    if isinstance(t, tuple):
        a, b = t
        return a
    return 1


def summed(points, dim):
    return points.sum(dim)


class Plain:
    a, b = 1, "b"

    def __init__(self):
        self.x = 1


def added():
    p = Plain()
    p += Plain()
    return p


def deleted():
    p = Plain()
    del p["a"]
    return 1


def of_class():
    return Plain().b


class Point(NamedTuple):
    x: torch.Tensor = torch.ones(1)


def defaulted(p: Point):
    return p


for f in (number, optional, union, comprehension, keys, values, missing, retyped, unpacked, summed, added, deleted, of_class, defaulted):
    show(f)
