# torch.functional in Python: norms over dimensions, tensordot, unique, stft; and traced
import torch
import torch.functional as F


def show(name, call):
    try:
        found = call()
    except (RuntimeError, ValueError) as e:
        print(name, type(e).__name__, str(e).splitlines()[0])
        return
    for each in found if isinstance(found, tuple) else (found,):
        print(name, tuple(each.shape), each.dtype, each)


x = torch.arange(12.0).reshape(3, 4) - 5
for arguments in ({}, {"dim": 1}, {"p": "fro"}, {"p": 1, "dim": 0, "keepdim": True}, {"dim": (0, 1)}, {"p": 3, "dim": -1}):
    show(f"norm {arguments}", lambda: x.norm(**arguments))
    show(f"torch.norm {arguments}", lambda: torch.norm(x, **arguments))
show("dtype", lambda: F.norm(x, dtype=torch.float64))
show("order", lambda: torch.norm(x, "zzz"))
u = torch.tensor([3, 1, 2, 3, 3, 1])
for name in ("unique", "unique_consecutive"):
    show(name, lambda: getattr(torch, name)(u))
    show(name, lambda: getattr(u, name)(return_inverse=True))
    show(name, lambda: getattr(u, name)(return_counts=True))
    show(name, lambda: getattr(F, name)(u, return_inverse=True, return_counts=True))
show("rows", lambda: torch.unique(torch.tensor([[1, 2], [1, 2], [0, 1]]), dim=0, return_counts=True))
show("tensordot", lambda: torch.tensordot(x, x, 2))
show("tensordot", lambda: torch.tensordot(x, x.t(), 1))
show("tensordot", lambda: torch.tensordot(x, x, ([0], [0])))
show("tensordot", lambda: torch.tensordot(x, x, -1))
window = torch.ones(4)
show("stft", lambda: torch.view_as_real(torch.stft(torch.ones(6), 4, window=window, return_complex=True)))
show("stft", lambda: torch.view_as_real(torch.ones(6).stft(4, window=window, center=False, return_complex=True)))
print(torch.broadcast_shapes((3, 1), (4,)), torch.broadcast_shapes((2, 1, 5), 1))


@torch.jit.script
def scripted(x):
    return torch.norm(x, 2), x.norm(), F.einsum("ij->j", [x])


print(scripted(x))
traced = torch.jit.trace(lambda t: t.norm(dim=1), (x,))
print(traced(x + 1))
