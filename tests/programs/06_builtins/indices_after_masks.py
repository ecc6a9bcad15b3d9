"""An index behind a mask of several dimensions is for the dimension behind those."""
import torch

mask = torch.tensor([[True, False, True], [False, True, False]])
at = torch.tensor([0, 2, 1])
x = torch.arange(24.0).reshape(2, 3, 4)
print(x[mask, at], x[mask, 1], x[mask, 1:3].shape, x[mask, at.tolist()])
y = torch.arange(48.0).reshape(2, 3, 4, 2)
print(y[mask, at], y[mask, :, torch.tensor([1, 0, 1])], y[mask, at, torch.tensor([1, 0, 1])])
print(y[:, mask[:, :, None].expand(2, 3, 4)[0, :, :]].shape, y[..., torch.tensor([True, False])].shape)
print(y[mask.tolist(), at], torch.arange(24.0).reshape(2, 2, 3, 2)[torch.eye(2).bool(), at[:2]])
x[mask, at] = torch.tensor([5.0, 6.0, 7.0])
print(x)
x[mask, at] += 2
print(x[mask, at].tolist())
leaf = torch.zeros(2, 3, 4, requires_grad=True)
print(torch.autograd.grad(leaf[mask, at].sum(), leaf)[0])


def both(x, mask: torch.Tensor, at: torch.Tensor):
    x[mask, at] = 1.0
    return x[mask, at]


print(torch.jit.script(both)(torch.zeros(2, 3, 4), mask, at))
print(torch.jit.trace(both, (torch.zeros(2, 3, 4), mask, at))(torch.zeros(2, 3, 4), mask, at))
try:
    x[mask, at, at]
except IndexError as error:
    print(error)
