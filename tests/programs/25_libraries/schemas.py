"""torch.library.infer_schema: what annotations mean, and what it refuses."""
from typing import List, Optional, Sequence, Tuple, Union

import torch
from torch import Tensor
from torch.library import infer_schema


def f1(x): pass
def f2(x: Tensor): pass
def f3(x: dict) -> Tensor: pass
def f4(x: Tensor) -> dict: pass
def f5(*x: Tensor) -> Tensor: pass
def f6(x: Tensor, **k) -> Tensor: pass
def f7(x: Tensor, *, y: int = 3) -> Tensor: pass
def f8(x: List[int], y: Tuple[int, int]) -> Tensor: pass
def f9(x: Sequence[Tensor], y: Optional[Sequence[float]] = None, z: Union[int, float, bool] = 1) -> Tuple[Tensor, Tensor]: pass
def f10(x: "Tensor") -> "Tensor": pass
def f11(x: Tensor) -> None: pass
def f12(x: Tensor, d: torch.device, t: torch.types.Number) -> List[Tensor]: pass
def f13(x: Tensor, s: str = "abc", b: bool = False, f: float = 1.5) -> Tensor: pass
def f14(x: Tensor, y: Tensor = None) -> Tensor: pass
def f15(x: Tensor) -> Tuple[Tensor, ...]: pass
def f17(x: Tensor | None, y: int | None = None, z: list[int] | None = None) -> tuple[Tensor, int]: pass
def f18(x: Optional[int], y: Sequence[Optional[Tensor]], z: List[Optional[Tensor]]) -> float: pass
def f19(x: Tensor, d: torch.dtype = torch.float64, e: float = -1.0) -> bool: pass


def tell(f, **options):
    try:
        print(f.__name__, infer_schema(f, **{"mutates_args": (), **options}))
    except Exception as e:
        print(f.__name__, type(e).__name__, str(e).split(", <class 'torch.device'>")[0])


for f in (f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f17, f18, f19):
    tell(f)
tell(f11, mutates_args=("x",))
tell(f11, mutates_args=("y",))
tell(f13, mutates_args=("s",))
tell(f11, mutates_args="unknown")
tell(f11, mutates_args="x")
tell(f9, mutates_args=("x",))
tell(f11, op_name="a::b")
