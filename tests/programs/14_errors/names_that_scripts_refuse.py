"""What scripts refuse although Python has it: methods without an operator, other names of builtins, parameters before a slash."""
import torch
from typing import List, Tuple
from torch import nn

x = torch.ones(2)
measure = len
scripted = torch.jit.script(nn.ReLU())
KEPT = torch.ones(1)


def report(function, *arguments):
    try:
        print(function.__name__, torch.jit.script(function)(*arguments))
    except Exception as e:
        print(f"<<{type(e).__name__}>>\n{e}\n<<end>>")


def as_bool(x):
    return x.bool()


def as_bfloat16(x):
    return x.bfloat16()


def alias(x: List[int]):
    return measure(x)


def before_slash(a: int, /, b: int):
    return b


def used_before_slash(number: int, /, b: int):
    return number + b


def sorted_tensor(x):
    return sorted(x)


def unbound_method(x):
    return torch.Tensor.add(x, x)


def mixed_tuple(t: Tuple[int, float]):
    return torch.tensor(t)


def even_tuple(t: Tuple[int, int]):
    return torch.tensor(t)


def parameter(x):
    return nn.Parameter(x)


def forward_of_global(x):
    return scripted.forward(x)


def class_as_value(x):
    return nn.Module


def complex_condition(x: int):
    return 1j and x


def any_list(x: list):
    return x


def assigned_global(x):
    d = {}
    d["a"] = KEPT
    return d


def keywords(x, *args, **kwargs):
    return x


for function, arguments in (
    (as_bool, (x,)), (as_bfloat16, (x,)), (alias, ([1],)), (before_slash, (1,)), (used_before_slash, (1,)), (sorted_tensor, (x,)),
    (sorted_tensor, (torch.tensor(3),)), (unbound_method, (x,)), (mixed_tuple, ((1, 2.0),)), (even_tuple, ((1, 2),)), (parameter, (x,)),
    (forward_of_global, (x,)), (class_as_value, (x,)), (complex_condition, (1,)), (any_list, ([1],)), (assigned_global, (x,)), (keywords, (x,)),
):
    report(function, *arguments)


class Holder(nn.Module):
    def __init__(self, held):
        super().__init__()
        self.held = held

    def forward(self, x):
        return self.held(x)


for held in (torch.ones(1).add, Holder(None).forward):
    try:
        torch.jit.script(Holder(held))
    except Exception as e:
        print(type(e).__name__, str(e).split("(of Python")[0])
