"""An empty list literal is made where it is handed on."""

import torch
from typing import *
def t(f):
    try: print(torch.jit.script(f).code)
    except Exception as e: print(f.__name__, str(e)[:300])
@t
def a1(d: List[List[torch.Tensor]]):
    d.append([])
@t
def a2(d: List[List[torch.Tensor]]):
    d.insert(0, [])
@t
def a3(d: Dict[str, List[torch.Tensor]]):
    return d.get("a", [])
@t
def a4(d: Dict[str, List[torch.Tensor]]):
    d.setdefault("a", [])
@t
def a5(d: List[List[torch.Tensor]]):
    return d == [] , [] == [], len([])
@t
def a6(d: List[torch.Tensor]):
    return torch.stack([]), d + [], [] + d
@t
def a7(d: List[torch.Tensor]):
    return [] in [d], d.extend([])
