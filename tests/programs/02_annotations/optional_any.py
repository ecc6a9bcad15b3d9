"""An optional of Any may be None, in schemas and in containers."""
from typing import Any, Dict, List, Optional, Union

import torch


def one(x: Optional[Any]):
    return x is None


def default(x: Optional[Any] = None):
    if x is None:
        return 1
    return 2


def elements(x: List[Optional[Any]]):
    return [y is None for y in x]


def values(x: Dict[str, Optional[Any]]):
    return x["a"] is None


def through(x: Optional[Any]) -> Optional[Any]:
    return x


def plain(x: Any):
    return x is None


def asked(x: Optional[Any]):
    if isinstance(x, int):
        return x + 1
    return 0


def widened(x: Optional[int]):
    y: Optional[Any] = x
    return y is None


def united(x: Union[Any, None]):
    return x is None


def filled(x: Optional[Any]):
    if x is None:
        x = 3
    return x


CASES = [
    (one, [None, 3]), (default, [None, "a"]), (elements, [[None, 1, "a"]]), (values, [{"a": None}, {"a": 3}]),
    (through, [None, "a"]), (plain, [None, 3]), (asked, [None, 3, "a"]), (widened, [None, 3]), (united, [None, 3]),
    (filled, [None, "a"]),
]
for function, arguments in CASES:
    scripted = torch.jit.script(function)
    print(scripted.schema, [scripted(x) for x in arguments])
print(torch.jit.script(default)())
print(torch.jit.script(default).code)
