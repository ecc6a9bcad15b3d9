# What is said of tuples of which some items become what is declared and others do not.
from typing import Optional, Tuple

import torch
from torch import Tensor


def first(x: Tensor) -> Tuple[int, Tensor]:
    return x, 1


def second(x: Tensor) -> Tuple[int, str]:
    return x, x


def nested(x: Tensor) -> Tuple[Tuple[int, str], int]:
    return (x, x), x


def maybe(x: Tensor) -> Optional[Tuple[int, str]]:
    return x, x


def longer(x: Tensor) -> Tuple[int, int, int]:
    return x, x


def fine(x: Tensor) -> Tuple[int, float]:
    return x, x


for function in (first, second, nested, maybe, longer, fine):
    try:
        print(torch.jit.script(function)(torch.tensor(2)))
    except RuntimeError as error:
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")
