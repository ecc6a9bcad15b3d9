# Conjugates are views that are read otherwise: they share memory, and writes go through them.
import torch


def attempt(what):
    try:
        print(what())
    except Exception as error:
        print(f"<<{type(error).__name__}>>")
        print(str(error).splitlines()[0])
        print("<<end>>")


@torch.jit.script
def views(z: torch.Tensor):
    c = z.conj()
    h = z.mH
    return c, h, torch.adjoint(z), c.conj()


z = torch.tensor([[1 + 2j, 3 - 4j], [0.5j, -2 + 1j]])
c, h, a, back = views(z)
print(c.is_conj(), h.is_conj(), a.is_conj(), back.is_conj())
print(c)
print(h)
print(c.data_ptr() == z.data_ptr(), h.stride(), c.is_contiguous())
print(c.real.is_neg(), c.imag.is_neg(), c.imag, c.real)
z[0, 0] = 7 - 1j
print(c[0, 0].item(), h[0].tolist(), a[0, 1])
c.mul_(2)
print(z)
c[1] = torch.tensor([1 + 1j, 2 - 2j])
print(z)
c.copy_(torch.ones(2, 2) * 1j)
print(z)
z = torch.tensor([[1 + 2j, 3 - 4j], [0.5j, -2 + 1j]])
c = z.conj()
print(c + z, c @ z, (c * 2).is_conj(), c.clone().is_conj(), c.t().is_conj(), c.reshape(-1).is_conj())
print(c.sum(), c.abs(), torch.cat([c, z])[1], torch.stack([c, z], 0)[0, 0])
print(c.resolve_conj().is_conj(), c.resolve_conj() is c, z.resolve_conj() is z, c.to(torch.complex128))
print(torch.equal(c, z.conj_physical()), torch.allclose(c, z.conj_physical()), c == z)
attempt(lambda: torch.view_as_real(c))
attempt(lambda: c.view(torch.float32))
print(torch.view_as_real(c.resolve_conj()).shape)
n = torch._neg_view(torch.tensor([1.0, -2.0]))
print(n.is_neg(), n, n + 1, n.resolve_neg().is_neg(), n.abs())
n.add_(3)
print(n, torch.tensor([1.0]).conj().is_conj())
r = torch.ones(2)
print(r.conj() is r, torch.tensor(1 + 1j).mH)

w = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
(w.conj() * torch.tensor([2j, 1 + 1j])).abs().sum().backward()
print(w.grad)
w = torch.tensor([[1 + 2j, 3 - 1j]], requires_grad=True)
v = (w * 1).clone()
v.mH.mul_(torch.tensor([[2j], [1 - 1j]]))
v.real.sum().backward()
print(w.grad)
