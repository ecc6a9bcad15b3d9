# gradcheck of functions from and to complex numbers, and the order in which hooks of leaves are called.
import torch
from torch.autograd import gradcheck, gradgradcheck

z = torch.tensor([1 + 2j, 0.5 - 1j], dtype=torch.cdouble, requires_grad=True)
r = torch.tensor([0.5, 2.0], dtype=torch.double, requires_grad=True)
for function in (
    lambda t: torch.view_as_real(t * t.conj()), lambda t: t * t, lambda t: t.conj(), torch.abs, torch.real, torch.exp,
    lambda t: (t * r).sum(),
):  # fmt: skip
    print(gradcheck(function, z))
print(gradcheck(lambda t: torch.complex(t, t * t), r), gradcheck(lambda a, b: a * b, (z, r)), gradgradcheck(lambda t: t * t, z))


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        return t * 2j

    @staticmethod
    def backward(ctx, g):
        return g * 2j


print(gradcheck(Wrong.apply, z, raise_exception=False))
try:
    gradcheck(torch.sin, r.detach())
except ValueError as problem:
    print(problem)

a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
a.register_post_accumulate_grad_hook(lambda p: print("added a"))
b.register_post_accumulate_grad_hook(lambda p: print("added b"))
a.register_hook(lambda g: print("gradient of a"))
with torch.autograd.graph.register_multi_grad_hook((a, b), lambda found: print("both", found)):
    (a.sum() + b.prod()).backward()
