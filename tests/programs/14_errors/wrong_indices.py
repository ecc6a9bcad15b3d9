"""What cannot be an index, and what cannot be assigned to a part of a tensor."""

import torch
from torch import Tensor
from typing import Dict, List, Tuple
def w_assign(x: Tensor) -> Tensor:
    x[0] = "s"
    return x
def w_assign2(x: Tensor) -> Tensor:
    x[0] = [1,2]
    return x
def w_assign3(x: Tensor) -> Tensor:
    x[x>0] = "s"
    return x
def w_aug(x: Tensor) -> Tensor:
    x[0] += "s"
    return x
def w_list(x: List[int]) -> List[int]:
    x[0] = "s"
    return x
def w_dict(x: Dict[str,int]) -> Dict[str,int]:
    x["a"] = "s"
    return x
def w_none(x: Tensor) -> Tensor:
    x[0] = None
    return x
def w_rng(x: Tensor) -> Tensor: return x[range(2)]
def w_rng2(x: Tensor) -> Tensor: return x[range(2), 0]
def w_str(x: Tensor) -> Tensor: return x["a"]
def w_str2(x: Tensor) -> Tensor: return x["a", 1]
def w_fl(x: Tensor) -> Tensor: return x[1.5]
def w_dt(x: Tensor) -> Tensor: return x[torch.float]
def w_fn(x: Tensor) -> Tensor: return x[torch.relu]
def w_md(x: Tensor) -> Tensor: return x[torch]
def w_tup(x: Tensor, t: Tuple[int,int]) -> Tensor: return x[t]
def w_l(x: List[int]) -> int: return x[range(2)]
def w_l2(x: List[int]) -> int: return x["a"]
for n,f in list(globals().items()):
  if n.startswith("w_"):
    try: print(torch.jit.script(f).code)
    except Exception as e: print(n, e)
