"""Tensors printed while they are differentiated and while they stand for samples."""
import torch

x = torch.tensor([1.0, 2.0])


def seen(z):
    print(z)
    print(z * 2)
    return z.sum()


torch.func.grad(seen)(x)
torch.func.grad(lambda z: torch.func.grad(lambda w: (print(w), print(z), (w * z).sum())[2])(z).sum())(x)
torch.vmap(torch.func.grad(seen))(torch.ones(2, 2))
torch.func.grad(lambda z: torch.vmap(seen)(z.view(2, 1)).sum())(x)
torch.func.jvp(lambda z: (print(z), z * 2)[1], (x,), (x,))
torch.func.jacfwd(lambda z: (print(z), z * 2)[1])(x)
torch.func.vjp(seen, x)
print(x)
