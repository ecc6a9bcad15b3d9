# Members of enums as arguments of other types, and as attributes that say no type.
import enum
from typing import Any, Union

import torch


class Plain(enum.Enum):
    A = 1
    B = 2


class Number(enum.IntEnum):
    A = 1


class Text(str, enum.Enum):
    A = "x"


@torch.jit.script
def anything(x: Any):
    return x


@torch.jit.script
def truth(x: bool):
    return x


@torch.jit.script
def some(x: Union[int, str]):
    return x


for f in (anything, truth, some):
    for value in (Plain.A, Number.A, Text.A, [Plain.A, Plain.B], {"a": Plain.A}, (Plain.B, 1), torch.contiguous_format):
        try:
            print(value, "->", repr(f(value)))
        except Exception as e:
            print(value, f"<<{type(e).__name__}>>")
            print(e)
            print("<<end>>")


class Holder(torch.nn.Module):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def forward(self):
        return self.value


for value in (Plain.A, Number.A, Text.A, [Number.A], (Number.A, Text.A)):
    scripted = torch.jit.script(Holder(value))
    print(repr(scripted()), scripted.code)
