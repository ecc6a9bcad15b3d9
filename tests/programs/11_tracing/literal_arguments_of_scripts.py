"""Lists without tensors that a traced program gives to scripts are one constant; tuples and dicts are put together."""

import torch, warnings
from typing import Dict, List, Optional, Tuple
warnings.simplefilter("ignore")
@torch.jit.script
def f(x: torch.Tensor, a: List[float], b: List[int], c: Tuple[int, float], d: Dict[str, int], e: Optional[str], g: List[str], h: List[bool]):
    return x
@torch.jit.script
def k(x: torch.Tensor, a: List[torch.Tensor], b: Tuple[torch.Tensor, int], c: Dict[str, torch.Tensor], d: List[List[int]], e: List[Tuple[int,int]], m: List[float]):
    return x
class M(torch.nn.Module):
    def forward(self, x: torch.Tensor, a: List[float], b: int): return x*b
sm=torch.jit.script(M())
class T(torch.nn.Module):
    def __init__(s):
        super().__init__(); s.m=sm
    def forward(s,x): return s.m(x,[1.,2.],3)
x=torch.ones(2)
t=torch.jit.trace(lambda x: f(x,[1.,2.],[3,4],(5,6.),{"a":1},"s",["u","v"],[True]),(x,)); print(t.graph)
try:
    t=torch.jit.trace(lambda x: k(x,[x,x],(x,1),{"a":x},[[1],[2]],[(1,2)],[]),(x,)); print(t.graph)
except Exception as e: print(e)
t = torch.jit.trace(T(), (x,))
print(t.code)
