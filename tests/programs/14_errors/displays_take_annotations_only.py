# What a variable or attribute holds already is no annotation of a display that is assigned to it
from typing import Dict, List, Optional, Tuple

import torch


class Held(torch.nn.Module):
    opt: Optional[List[int]]

    def __init__(self):
        super().__init__()
        self.items = [1, 2]
        self.table = {"a": 1}
        self.floats = [1.0]
        self.nested = [[1]]
        self.opt = None


class EmptyList(Held):
    def forward(self) -> None:
        self.items = []


class EmptyDict(Held):
    def forward(self) -> None:
        self.table = {}


class EmptyOptional(Held):
    def forward(self) -> None:
        self.opt = []


class Integers(Held):
    def forward(self) -> None:
        self.floats = [1]


class OtherValues(Held):
    def forward(self) -> None:
        self.table = {"a": 1.5}


class Inner(Held):
    def forward(self) -> None:
        self.nested = [[]]


class Branches(Held):
    def forward(self) -> None:
        self.items = [] if len(self.items) > 1 else [1]


class Fits(Held):
    def forward(self) -> Tuple[List[int], Optional[List[int]], Dict[str, int]]:
        self.items = [3]
        self.opt = [4]
        self.table = {"b": 5}
        return self.items, self.opt, self.table


def dict_in_loop(n: int):
    x: Dict[str, int] = {}
    for i in range(n):
        x = {}
    return x


def dict_in_branch(n: int):
    x: Optional[Dict[str, int]] = None
    if n > 1:
        x = {}
    return x


def optional_values(n: int):
    x: Dict[str, Optional[int]] = {}
    if n > 1:
        x = {"a": 1}
    return x


def list_of_choice(n: int):
    x: List[int] = [1]
    if n > 1:
        x = [] if n > 2 else [1]
    return x


def floats_in_loop(n: int):
    x = [1.0]
    for i in range(n):
        x = [i]
    return x


def lists_of_lists(n: int):
    x: List[List[int]] = [[1]]
    if n > 1:
        x = [[]]
    return x


def empty_first(n: int):
    x = []
    if n > 1:
        x = [n]
    return x


def empty_later(n: int):
    x = [n]
    if n > 1:
        x = []
    return x


for what in [
    EmptyList(),
    EmptyDict(),
    EmptyOptional(),
    Integers(),
    OtherValues(),
    Inner(),
    Branches(),
    dict_in_loop,
    dict_in_branch,
    optional_values,
    list_of_choice,
    floats_in_loop,
    lists_of_lists,
    empty_first,
]:
    try:
        torch.jit.script(what)
    except RuntimeError as e:
        print(str(e).rstrip())
print(torch.jit.script(Fits())())
print(torch.jit.script(empty_later)(2), torch.jit.script(empty_later).code)
