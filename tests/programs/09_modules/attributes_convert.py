# Attributes of a declared type take what arguments of that type take, when a module is scripted and when they are set.
from typing import Dict, List, Optional, Tuple, Union

import numpy
import torch
from torch import nn


def told(name, f):
    try:
        print(name, f())
    except Exception as error:
        print(name, type(error).__name__, str(error).splitlines()[0][:150])


PAIR, NUMBERS, MAP = Tuple[int, int], List[int], Dict[str, int]
GOOD = {
    PAIR: (1, 2), NUMBERS: [1], MAP: {"a": 1}, float: 1.5, int: 1, bool: True, str: "a", torch.Tensor: torch.ones(1),
    Optional[bool]: True, Optional[PAIR]: (1, 2), List[PAIR]: [(1, 2)], List[float]: [1.0], List[bool]: [True],
    Tuple[bool, float]: (True, 1.0), Dict[str, float]: {"a": 1.0}, Union[int, str]: 1, complex: 1j,
    Tuple[torch.Tensor, int]: (torch.ones(1), 1), torch.device: torch.device("cpu"),
}
GIVEN = [
    (PAIR, [3, 4]), (PAIR, [3, 4, 5]), (PAIR, torch.tensor([1, 2])), (PAIR, None), (PAIR, (1.5, 2)),
    (NUMBERS, (1, 2)), (NUMBERS, range(2)), (NUMBERS, torch.tensor([1, 2])), (NUMBERS, numpy.array([1, 2])), (NUMBERS, [1.5]),
    (MAP, [("a", 1)]), (MAP, {"b": 2}), (MAP, {1: 2}), (float, True), (float, 2), (float, torch.tensor(1.5)),
    (float, numpy.float32(1.5)), (float, "x"), (int, torch.tensor(3)), (int, 2.5), (int, True), (bool, 1), (bool, None),
    (bool, torch.tensor(True)), (bool, "yes"), (str, 1), (str, b"b"), (torch.Tensor, None), (torch.Tensor, 1.5),
    (Optional[bool], 1), (Optional[PAIR], [1, 2]), (Optional[PAIR], None), (List[PAIR], [[1, 2]]), (List[float], [1, True]),
    (List[bool], [1, 0]), (Tuple[bool, float], (1, 1)), (Dict[str, float], {"a": True}), (Union[int, str], True),
    (complex, 1), (Tuple[torch.Tensor, int], [torch.ones(1), 3]), (torch.device, "cpu"),
]

for kind, value in GIVEN:

    class Holder(nn.Module):
        def __init__(self, content):
            super().__init__()
            self.content = torch.jit.Attribute(content, kind)

        def forward(self):
            return self.content

    class Annotated(nn.Module):
        content: kind

        def __init__(self):
            super().__init__()
            self.content = value

        def forward(self):
            return self.content

    print(kind, value)
    told("  scripted", lambda: torch.jit.script(Holder(value))())
    told("  annotated", lambda: torch.jit.script(Annotated())())
    made = torch.jit.script(Holder(GOOD[kind]))

    def change():
        made.content = value
        return made.content, made()

    told("  set", change)


@torch.jit.script
class Plain:
    def __init__(self):
        self.pair = (1, 2)
        self.number = 1.5
        self.flag = True


@torch.jit.script
def make():
    return Plain()


@torch.jit.script
def use(plain: Plain):
    return plain.pair, plain.number, plain.flag


for name, value in (("pair", [3, 4]), ("number", 2), ("number", True), ("flag", 1), ("number", torch.tensor(2.0))):
    mine, theirs = Plain(), make()

    def change():
        setattr(theirs, name, value)
        return use(theirs)

    setattr(mine, name, value)
    told(f"{name} {value!r}", lambda: use(mine))
    told("  of a script", change)

names = torch.jit.script(nn.Linear(1, 1))
told("method", lambda: names._c._get_method("zip"))
told("code", lambda: make.code_with_constants)
