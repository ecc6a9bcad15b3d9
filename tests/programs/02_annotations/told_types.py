# Annotations that are told of: on instances, by dtype, without types, in text; unions in isinstance and complex results.
import warnings
from typing import Any, Dict, List, Optional, Tuple, Union

import torch


def tell(make):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            print(make())
        except Exception as e:
            print(f"<<{type(e).__name__}>>")
            print(e)
            print("<<end>>")
    for warning in heard:
        if warning.category is UserWarning:
            print(warning.category.__name__, warning.message)


class Empty(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a: List[int] = []
        self.b: Dict[str, int] = {}
        self.c: Optional[int] = None
        self.d: Tuple[int, int] = []
        self.e: List[int] = None
        self.f: Optional[int] = 1
        self.g: list[int] = [1]

    def forward(self, x):
        return x


tell(lambda: torch.jit.script(Empty()).code)


def dtypes(x: torch.FloatTensor, y: List[torch.LongTensor]):
    return x


tell(lambda: torch.jit.script(dtypes).code)


def text(x: "int | None"):
    return 1


tell(lambda: torch.jit.script(text).code)


def keys(x: Dict[Any, int]):
    return len(x)


tell(lambda: torch.jit.script(keys).schema)


def kinds(x: Any, y: Union[int, str, float]):
    return isinstance(x, Union[int, str]), isinstance(x, Optional[int]), isinstance(x, (Union[int, float, complex], str)), isinstance(y, Union[int, str])


tell(lambda: torch.jit.script(kinds).code)


def number(x) -> complex:
    return x


tell(lambda: torch.jit.script(number).code)


def wrong(x) -> List[int]:
    return x


tell(lambda: torch.jit.script(wrong).code)


def checked(n: int):
    torch._check(n > 0)
    torch._check(n > 1, "more than one")
    return [(1, 2), (3, "a")]


tell(lambda: torch.jit.script(checked).code)
for annotation in (bytes, List, Tuple[int, ...], Optional):

    class Bare(torch.nn.Module):
        x: annotation

        def __init__(self):
            super().__init__()
            self.x = 1

        def forward(self):
            return 1

    tell(lambda: torch.jit.script(Bare()).code)
