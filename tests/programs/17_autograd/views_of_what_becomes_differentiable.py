"""Views that were taken before a write brought gradients into what they are views of."""
import torch

w = torch.ones(3, requires_grad=True)

base = torch.zeros(3)
first = base[0]
base.copy_(w)
print(first.requires_grad, (first * 2).requires_grad, first.grad_fn.name())

base = torch.zeros(3)
column = base.view(3, 1)
base.mul_(w)
column.sum().backward()
print(w.grad)

base = torch.zeros(3)
column = base.view(3, 1)
base[0] = w[1]
print(torch.autograd.grad(column.sum(), w))

base = torch.zeros(3)
column, tail = base.view(3, 1), base[1:]
tail += w[1:]
print(torch.autograd.grad((column * column).sum(), w), column)

base = torch.zeros(3)
part = base.view(3, 1)[:2]
base.add_(w)
print(part, part.view(-1) * 2)

counts = torch.zeros(3, dtype=torch.int64)
row = counts[1:]
counts.add_(1)
print(row.requires_grad, row)
