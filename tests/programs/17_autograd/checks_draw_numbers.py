# Checks of second derivatives ask the generator for gradients to begin with; checks of first ones do not.
import torch

for check in (torch.autograd.gradgradcheck, torch.autograd.gradcheck):
    torch.manual_seed(3)
    print(check(lambda v: (v.sin() * v, v.cos()), (torch.ones(4, dtype=torch.double, requires_grad=True),)), torch.rand(2))
print(callable(torch.autograd.gradcheck), torch.autograd.gradgradcheck(torch.exp, torch.ones(2, dtype=torch.double, requires_grad=True)))
