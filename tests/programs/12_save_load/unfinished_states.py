"""Texts of what cannot require gradients, and states that leave attributes out."""

import torch, io
from typing import *
def show(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:150])
def setit():
    x = torch.tensor([1]); x.requires_grad = True
show(setit)
show(lambda: torch.tensor([1]).requires_grad_())
show(lambda: torch.nn.Parameter(torch.tensor([1])))
show(lambda: torch.ones(2,dtype=torch.bool).requires_grad_(True))
show(lambda: torch.empty(2,dtype=torch.int32, requires_grad=True))
show(lambda: torch.arange(3, requires_grad=True))
show(lambda: torch.full((2,), 1, requires_grad=True))
show(lambda: torch.as_tensor([1]).requires_grad_())
show(lambda: torch.randint(3,(2,), requires_grad=True))
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.k = 2; self.w = torch.nn.Parameter(torch.zeros(1)); self.fp16 = torch.zeros(1)
    def forward(self, x): return x * self.k
    @torch.jit.export
    def __getstate__(self):
        return (self.k, self.w, self.training)
    @torch.jit.export
    def __setstate__(self, s: Tuple[int, torch.Tensor, bool]):
        self.k = s[0]
        self.w = s[1]
        self.training = s[2]
m = torch.jit.script(M())
b = io.BytesIO(); torch.jit.save(m, b); b.seek(0)
def ld():
    x = torch.jit.load(b); return x(torch.ones(1))
show(ld)
class M2(torch.nn.Module):
    k: int
    o: Optional[int]
    def __init__(self):
        super().__init__()
        self.k = 2; self.l=[1]; self.o=None
    def forward(self, x): return x * self.k
    @torch.jit.export
    def __getstate__(self):
        return (1, self.training)
    @torch.jit.export
    def __setstate__(self, s: Tuple[int, bool]):
        self.training = s[1]
m = torch.jit.script(M2())
b = io.BytesIO(); torch.jit.save(m, b); b.seek(0)
show(ld)
