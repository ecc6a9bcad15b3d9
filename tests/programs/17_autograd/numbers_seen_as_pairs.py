"""Gradients through `view_as_complex` and `view_as_real`, also of conjugates."""
import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = torch.tensor([[0.5, -1.0], [2.0, 0.3]], requires_grad=True)
a, b = torch.view_as_complex(x), torch.view_as_complex(y)
torch.real(a * b * torch.conj(a + b)).sum().backward()
print(x.grad, y.grad)
for of in (lambda c: c.conj().sum().real, lambda c: c.imag.sum(), lambda c: c.abs().sum(), lambda c: (c.conj() * c).real.sum(), lambda c: c.conj().imag.sum()):
    x.grad = None
    of(torch.view_as_complex(x)).backward()
    print(x.grad + 0)
z = torch.tensor([1 + 2j, -3 + 0.5j], requires_grad=True)
for of in (lambda r: r.square().sum(), lambda r: r[:, 0].sum(), lambda r: torch.view_as_complex(r).conj().real.sum()):
    z.grad = None
    of(torch.view_as_real(z)).backward()
    print(z.grad + 0)
z.grad = None
torch.view_as_real(z.conj().resolve_conj()).sum().backward()
print(z.grad)
