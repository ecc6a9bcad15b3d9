# torch.unique in scripts gives what its flags ask for; tensors without dimensions format as their number.
import torch
from typing import Optional
def f(x: torch.Tensor): return torch.unique(x)
def g(x: torch.Tensor): return torch.unique(x, return_inverse=True)
def h(x: torch.Tensor): return torch.unique(x, return_counts=True, sorted=True)
def k(x: torch.Tensor): return torch.unique(x, True, True, True)
def l(x: torch.Tensor): return torch.unique(x, dim=0)
def m(x: torch.Tensor): return torch.unique_consecutive(x)
def n(x: torch.Tensor): return torch.unique_consecutive(x, return_counts=True)
def r(x: torch.Tensor): return torch.functional.unique(x)
for fn in (f, g, h, k, l, m, n, r):
    try: print(torch.jit.script(fn)(torch.tensor([[1,2],[1,2],[3,1]])))
    except Exception as e: print(fn.__name__, type(e).__name__, str(e)[:400])
print(f"{torch.tensor(3)} {torch.tensor(2.5)} {torch.tensor(2.5):.3f} {torch.tensor(True)} {torch.ones(1)}")
