"""Tensors and numbers inside tuples become what is wanted there; elements of lists and attributes are taken as they are."""
from typing import Dict, List, Tuple

import torch


def first_line(error):
    return str(error).strip().split("\n")[0]


def second(t: Tuple[int, float]) -> float:
    return t[1]


def of_call(x: torch.Tensor):
    return second((1, x.item()))


def of_tensors(x: torch.Tensor):
    return second((x, x))


def of_variable(x: torch.Tensor):
    pair = (2, x.item())
    return second(pair)


def appended(x: torch.Tensor):
    beams: List[Tuple[int, Tuple[float, str]]] = []
    for i in range(2):
        beams.append((i, (x.item(), "a")))
    beams[0] = (7, (x.item() + 1, "b"))
    return beams


def in_dict(x: torch.Tensor):
    scores: Dict[str, Tuple[int, float]] = {}
    scores["a"] = (1, x.item())
    return scores


def returned(x: torch.Tensor) -> Tuple[int, Tuple[float, bool]]:
    return x, (x, True)


for f in (of_call, of_tensors, of_variable, appended, in_dict, returned):
    scripted = torch.jit.script(f)
    print(scripted(torch.tensor(3)), scripted.schema)
    print(scripted.code if "set_item" in scripted.code else scripted.graph)

SOURCE = """
def f(x: Tensor, l: {container}):
    l[{key}] = {value}
    return l
"""
for container, key in (("List[int]", "0"), ("List[float]", "0"), ("List[bool]", "0"), ("Dict[str, int]", "'a'")):
    for value in ("x", "x.item()", "1", "1.0", "True", "x > 0"):
        try:
            unit = torch.jit.CompilationUnit(SOURCE.format(container=container, key=key, value=value))
            print(container, value, unit.f.code.splitlines()[2].strip())
        except RuntimeError as error:
            print(container, value, first_line(error))


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.count = 0
        self.mean = 0.5


module = torch.jit.script(Counter())


def assigned(number, name, value):
    method = f"set_{name}_{number}"
    try:
        module.define(f"def {method}(self, x: Tensor):\n    self.{name} = {value}\n    return x\n")
        print(name, value, getattr(module, method).code.splitlines()[2])
    except RuntimeError as error:
        print(name, value, first_line(error))


for number, value in enumerate(("x", "x.item()", "int(x)", "1", "True", "1.0", "float(x)")):
    assigned(number, "count", value)
    assigned(number, "mean", value)
