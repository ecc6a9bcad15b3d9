"""Annotations with classes that scripts have no types for: of functions, of attributes, and attributes without any."""
import array
import collections
import datetime
import functools
import io
import operator
import re
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Type, Union

import torch
import torch.fx as fx
import torch.nn as nn


def attempt(label, call):
    try:
        print(label, "->", call())
    except Exception as error:
        print(label, "!!", type(error).__name__, *[line for line in re.sub(r"/\S+/", "", str(error)).splitlines() if line.strip()][:3], sep="\n    ")


def queue(x: collections.deque) -> int:
    return 1


def date(x: int) -> datetime.date:
    return 1


def rows(x: List[array.array]) -> int:
    return 1


def variable(x: int) -> int:
    y: functools.partial = x
    return 1


def text(x: "re.Pattern") -> int:
    return 1


def asked(x: Any) -> int:
    return 1 if isinstance(x, collections.deque) else 2


for function in (queue, date, rows, variable, text, asked):
    attempt(function.__name__, lambda: torch.jit.script(function).schema)


def held(value, hint=None, uses=False):
    class Held(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = value

        if uses:

            def forward(self, x):
                return self.a

        else:

            def forward(self, x):
                return x

    if hint is not None:
        Held.__annotations__ = {"a": hint}
    return Held()


for value in (functools.partial(torch.relu), datetime.date(2020, 1, 1), operator.attrgetter("a"), collections.deque([1]), io.StringIO(), re.compile("a")):
    attempt(f"holds {type(value).__name__}", lambda: hasattr(torch.jit.script(held(value)), "a"))
    attempt("    used", lambda: torch.jit.script(held(value, uses=True)))
for hint in (datetime.date, bytes, set, object, type, Sequence[int], Callable[[int], int], Iterable[int], Type[int], Optional[re.Pattern], Union[int, array.array], Dict[str, object]):
    attempt(str(hint), lambda: torch.jit.script(held(3, hint)))

for value in (b"x", b"", "\u00e9".encode(), bytearray(b"a")):
    attempt(repr(value), lambda: repr(torch.jit.script(held(value, uses=True))(0)))


class Unset(nn.Module):
    a: datetime.date
    b: object

    def forward(self, x):
        return x + 1


print(torch.jit.script(Unset()).code)
print(torch.jit.trace(held(3, object), torch.ones(1)).code)


# A graph module is scripted as it is now.
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(x) + 1


graph = fx.symbolic_trace(Block())
print(torch.jit.script(graph).code)
for node in list(graph.graph.nodes):
    if node.op == "call_module":
        with graph.graph.inserting_after(node):
            node.replace_all_uses_with(graph.graph.call_function(torch.tanh, (node.args[0],)))
        graph.graph.erase_node(node)
graph.delete_all_unused_submodules()
graph.recompile()
print(torch.jit.script(graph).code, list(graph._modules))
