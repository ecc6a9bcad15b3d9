import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from enum import Enum
from typing import Dict, List, Optional
from torch import Tensor

act = F.relu

class Color(Enum):
    RED = 1

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout()
        self.fc = nn.Linear(2, 2)

    def helper(self, x):
        return x

    def forward(self, x):
        y = self.dropout(x)  # hint: did you mean `drop`?
        z = fc(x)  # hint: did you mean `self.fc`?
        z = helper(x)  # hint: did you mean `self.helper`?
        return act(x)

def parts(x: Tensor):
    return x.max(dim=0) + 1  # hint: take one, such as `.values`

def brackets(x):
    return torch.cat(x, x)  # hint: `tensors` is a list

def key(n: int):
    out: Dict[str, str] = {}
    out[None] = "a"  # hint: the keys of the dict are of type str
    return out

def may_be_none(c: bool):
    m = None
    if c:
        m = 3.0  # hint: `m: Optional[float] = ...`
    return m

def nothing(c: bool) -> float:
    if c:
        return None  # hint: `-> Optional[float]`
    return 2.0

def empty(xs: List[int]):
    ys = []
    for x in xs:
        ys.append(x)  # hint: `ys: List[int] = []`
    return ys

def member(n: int):
    return Color.BLUE  # hint: its members are RED

def value(k: Color):
    return k.valeu  # hint: did you mean `value`?

def strings(s: str):
    t = s.uper()  # hint: did you mean `upper`?
    t = s.lenght()  # hint: did you mean `len(x)`?
    return s

def names(x: Tensor):
    a = torch.flot32  # hint: did you mean `float32`?
    b = x.float64()  # hint: did you mean `.to(torch.float64)`?
    c = x.topk(3).value  # hint: did you mean `values`?
    return x

def error(x: int):
    raise ValueErorr("a")  # hint: did you mean `ValueError`?

def pairs(d: Dict[str, int]):
    n = 0
    for k, v in d:  # hint: `for k, v in d.items():`
        n += v
    return n

def format_in_place(n: float):
    return f"{n:.2f}"  # hint: round before

def specifier(name: str, x: float):
    return "%s: %.3f" % (name, x)  # hint: %s, %d, %f, %e and %c

def not_of_math(n: int):
    return math.abs(n)  # hint: did you mean `fabs`?

def not_of_python(n: int):
    return torch.Bool(n)  # hint: did you mean `bool`?

def bare(x: List):  # hint: `List[int]`
    return x

def bare_dict(x: Dict):  # hint: `Dict[str, int]`
    return x

def small(x: dict):  # hint: `Dict[str, int]`
    return x

async def later(x: int):  # hint: torch.jit.fork
    return x

def behind_a_loop(n: int):
    while n > 3:  # hint: set a flag
        n = n - 1
    else:
        n = 3
    return n

def inner_function(n: int):
    def inner(x: int):  # hint: define the function at the top
        return x
    return inner(n)

def inner_import(x):
    import numpy as np  # hint: import at the top of the file
    return np.exp(x)
