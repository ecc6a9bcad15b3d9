# What is refused before anything runs, in the words for it.
import random
from typing import List

import torch


def tell(work):
    try:
        print(work())
    except (RuntimeError, TypeError, ValueError) as error:
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")


def unit(text):
    tell(lambda: torch.jit.CompilationUnit(text))


for part in ("3 + 4", "3 // 4", "3 ** 4", "3 == 4", "3 <= 4", "3 < 4", "not 3", "-3", "~3", "3 if 3 else 4", "f(3)", "3 in 4"):
    unit(f"def foo(x: Tensor, y: Tuple[{part}, Tensor]):\n    return x\n")
unit("def f(x):\n    a, b += x\n    return a, b\n")
unit("def f(x):\n    print(\"\n        a\")\n    return a\n")
unit("def f(x):\n    print('abc\n")


def sliced(x: List[int]):
    return x[slice(1, stop=2)]


tell(lambda: torch.jit.script(sliced))


class Own(torch.jit.ScriptModule):
    @torch.jit.script_method
    def forward(self, x):
        for _ in range(2):
            x = self
        return self


tell(Own)


@torch.jit.script
def of_none():
    return torch.tensor([None])


@torch.jit.script
def of_texts():
    return torch.tensor([["a"]])


tell(of_none)
tell(of_texts)
tell(lambda: torch._C.ListType(None))
tell(lambda: torch.jit.wait(None))
tell(lambda: torch.futures.wait_all((None,)))
tell(lambda: torch.futures.collect_all((torch.futures.Future(), None)))
tell(lambda: torch._C.InferredType("there is none").reason())


def derived():
    @torch.jit.interface
    class Derived(torch.nn.ReLU):
        def three(self, x: torch.Tensor) -> torch.Tensor:
            pass


tell(derived)


class Declared(torch.nn.Module):
    @torch.jit._overload_method
    def forward(self, x: int):
        pass


tell(lambda: torch.jit.script(Declared()))
