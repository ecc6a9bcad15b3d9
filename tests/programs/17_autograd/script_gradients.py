# gradients asked for inside scripts
import torch
from typing import List, Optional

class Potential(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.k = torch.nn.Parameter(torch.tensor(2.0))
    def forward(self, pos: torch.Tensor):
        e = (self.k * pos ** 2).sum()
        ones: List[Optional[torch.Tensor]] = [torch.ones_like(e)]
        g = torch.autograd.grad([e], [pos], grad_outputs=ones, create_graph=True)[0]
        assert g is not None
        return e, -g

m = torch.jit.script(Potential())
x = torch.tensor([1.0, 2.0], requires_grad=True)
e, f = m(x)
print(e, f)
f.sum().backward()
print(m.k.grad, x.grad)
print(m.code)

@torch.jit.script
def run(x):
    y = x * x
    y.retain_grad()
    y.sum().backward()
    return x.grad, y.grad, x.is_leaf

print(run(torch.tensor([1.0, 3.0], requires_grad=True)))
print(run.code)
