"""Texts about values that differ in type: of dicts, results, printed values and attributes of tensors."""

import sys
from dataclasses import dataclass, field
from typing import Dict, List, Optional

import torch
from torch.jit import _overload


def mixed_values() -> Dict[str, int]:
    return {"a": 1, "b": 2.0}


def mixed_lists() -> Dict[str, List[int]]:
    return {"a": [1], "b": ["c"]}


def optional_values() -> Dict[str, Optional[int]]:
    return {"a": 1, "b": 2.0}


def inferred_first(x, flag: bool):
    if flag:
        return x
    return 1


def inferred_second(x, flag: bool):
    if flag:
        return 1
    return x


def printed(x: int):
    print(x, file=sys.stderr)


def printed_unknown(x: int):
    print(unknown, sep=1)


def marked(x: torch.Tensor):
    x.requires_grad = True
    return x


def swapped(x: torch.Tensor):
    x.data = x
    return x


@_overload
def times(x: int) -> int: ...


def times(x, count=3):
    return x


def calls_overload(n: int):
    return times(n)


@dataclass
class Made:
    xs: List[int] = field(default_factory=list)


def makes() -> int:
    return len(Made().xs)


for function in (mixed_values, mixed_lists, optional_values, inferred_first, inferred_second, printed, printed_unknown, marked, swapped, calls_overload, makes):
    try:
        torch.jit.script(function)
        print(function.__name__, "compiles")
    except (RuntimeError, OSError) as error:
        kind, text = type(error).__name__, str(error)
        print(function.__name__)
        print(f"<<{kind}>>\n{text}\n<<end>>")
