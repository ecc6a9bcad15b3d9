# Joining tensors keeps their sizes alone: they may be written before gradients are asked for; numbers are not given to those who keep tensors.
import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.nn.utils.rnn import pad_sequence

joins = {
    "cat": lambda y: torch.cat([y, y * 2], 1),
    "last": lambda y: torch.concat([y, y], -1),
    "empty": lambda y: torch.cat([torch.empty(0), y]),
    "hstack": lambda y: torch.hstack([y, y]),
    "vstack": lambda y: torch.vstack([y, y[0]]),
    "dstack": lambda y: torch.dstack([y, y]),
    "columns": lambda y: torch.column_stack([y, y[0]]),
    "blocks": lambda y: torch.block_diag(y, y[0], y[0, 0]),
    "padded": lambda y: pad_sequence([y, y[:1]]),
    "padded left": lambda y: pad_sequence([y, y[:1]], True, padding_side="left"),
}
for name, join in joins.items():
    x = torch.ones(2, 2, requires_grad=True)
    y = x * 1
    joined = join(y)
    y.mul_(3)
    weights = torch.arange(1.0, 1 + joined.numel()).view(joined.shape)
    (joined * weights).sum().backward()
    print(name, x.grad.tolist())
    again = join(x * x)
    (first,) = torch.autograd.grad((again**2).sum(), x, create_graph=True)
    print(torch.autograd.grad(first.sum(), x)[0].tolist())

x, b = torch.eye(2).requires_grad_(), torch.ones(2, 1, requires_grad=True)
c = b * 1
solved = torch.linalg.solve(x * 2, c)
c.zero_()
solved.sum().backward()
print(x.grad, b.grad)
sign = torch.tensor([1.0, -1.0], requires_grad=True)
s, y = sign * 1, torch.ones(2, requires_grad=True)
signed = torch.copysign(y, s)
s.zero_()
signed.sum().backward()
print(y.grad, sign.grad)

kept = []
with saved_tensors_hooks(lambda t: kept.append(tuple(t.shape)) or t, lambda t: t):
    x = torch.ones(2, requires_grad=True)
    z = torch.cat([x * 2, x / 3, x + 1, 1 - x])
    z.exp().mul(0.5).sum().backward()
print(kept, x.grad)
