from typing import Dict, List, Tuple

import torch


def tell(function):
    try:
        function()
    except Exception as error:
        print(type(error).__name__, str(error).strip().splitlines()[0])
    else:
        print("fine")


def tuple_item(a: Tuple[int, int]):
    a[0] += 1
    return a


def dict_item(a: Dict[str, int]):
    a["x"] += 1
    return a["x"]


tell(lambda: torch.jit.script(tuple_item))
print(torch.jit.script(dict_item)({"x": 1}))


class Module(torch.nn.Module):
    def forward(self, x):
        for _ in range(2):
            self = x
        return self


tell(lambda: torch.jit.script(Module()))
tell(lambda: torch.jit.CompilationUnit("""
def foo(x : Tuple[(int, int)]):
    return x
"""))
tell(lambda: torch.nn.functional.nll_loss(torch.rand(3), torch.zeros(3, dtype=torch.long)))
tell(lambda: torch.nn.functional.nll_loss(torch.rand(2, 3, 4, 4), torch.zeros(2, 4, dtype=torch.long)))
tell(lambda: torch.lerp(torch.tensor([1]), torch.tensor([2]), 0.5))
tell(lambda: ~torch.ones(2))
for data in (2**70, "a", ["a"], [["a"]], [1, "a"], [None], [[1], [2, 3]]):
    tell(lambda: torch.tensor(data))
