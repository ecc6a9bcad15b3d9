"""Early returns of enums, of Any and of functions that are left out: what the missing value is numbered."""

import torch
from enum import Enum
from typing import Any, Dict, List, NamedTuple, Optional, Union
from torch import Tensor
class State(Enum):
    OPEN=1
    ACTIVE=2
    DONE=3
class P(NamedTuple):
    a: int
@torch.jit.script
class C:
    def __init__(self, x: int): self.x=x
def k1(s: P, b: bool) -> P:
    if b: return P(1)
    return s
def k2(s: C, b: bool) -> C:
    if b: return C(1)
    return s
def k3(s: C, t: C, b: bool) -> C:
    if b: return t
    return s
def k4(s: List[int], b: bool) -> List[int]:
    if b: return [1]
    return s
def k5(s: Optional[int], b: bool) -> Optional[int]:
    if b: return 1
    return s
def k6(s: State, t: State, b: bool) -> State:
    if b: return t
    return s
def k7(s: Dict[str,int], b: bool) -> Dict[str,int]:
    if b: return {}
    return s
def k8(s: float, b: bool) -> float:
    if b: return 1.0
    return s
def k9(s: complex, b: bool) -> complex:
    if b: return 1j
    return s
def k10(s: torch.device, b: bool) -> torch.device:
    if b: return torch.device("cpu")
    return s
def k11(s: Any, b: bool) -> Any:
    if b: return 1
    return s
def k12(s: int, b: bool):
    if b: return 1
    return s
def k13(s: State, t: State, b: bool):
    if b: return t
    return s
def k14(s: C, t: C, b: bool):
    if b: return t
    return s
def k15(s: Union[int,str], b: bool) -> Union[int,str]:
    if b: return 1
    return s
def k16(s: List[State], b: bool) -> List[State]:
    if b: return s
    return [State.OPEN]
@torch.jit.unused
def never(n: int) -> int:
    return n
@torch.jit.unused
def nevert(n: Tensor) -> Tensor:
    return n
def u1(n: int) -> int:
    return never(n)
def u2(n: int) -> int:
    x = never(n)
    return x + 1
def u3(n: int) -> int:
    x = never(n=n)
    return x + 1
def u4(n: Tensor) -> Tensor:
    if n.dim() == 2:
        return nevert(n)
    return n + 1

for name, function in list(globals().items()):
    if name[0] in "ku" and name[1:].isdigit():
        print(name)
        print(torch.jit.script(function).graph)
