"""Annotations with parts that are Python classes but no types."""
import warnings
from typing import Callable, Dict, List, Optional, Set, Tuple, Union  # noqa: F401

import torch
from torch import nn  # noqa: F401

warnings.simplefilter("ignore")


def show(make):
    try:
        torch.jit.script(make)
        print(make.__name__, "scripted")
    except Exception as error:
        print("<<%s>>" % type(error).__name__)
        print(error)
        print("<<end>>")



def f0(x: Dict[str, torch.jit.ScriptModule]):
    return 1


def f1(x: Dict[nn.Linear, nn.Module]):
    return 1


def f2(x: torch.jit.ScriptModule):
    return 1


def f3(x: List[nn.Module]):
    return 1


def f4(x: Optional[nn.Module]):
    return 1


def f5(x: Tuple[int, nn.Linear]):
    return 1


def f6(x: List[Dict[str, nn.Linear]]):
    return 1


def f7(x: Union[int, bytes]):
    return 1


def f8(x: Optional[List[bytes]]):
    return 1


def f9(x: Set[int]):
    return 1


def f10(x: Callable[[int], int]):
    return 1


def f11(x: List[bytes]):
    return 1


def f12(x: 'List[Unknown]'):
    return 1


def f13(x: 'Dict[str, Unknown]'):
    return 1


def in_body(x):
    y: Dict[str, nn.Linear] = {}
    return x


def in_comment(x):
    # type: (Dict[str, nn.Linear]) -> None
    return None


def in_comment_alone(x):
    # type: (nn.Linear) -> None
    return None


def result(x) -> Dict[str, nn.Linear]:
    return x


for case in (f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, in_body, in_comment, in_comment_alone, result):  # fmt: skip
    show(case)
