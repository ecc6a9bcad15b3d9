"""Strides of dimensions of one element or none, which results inherit by rule."""
import torch

row = torch.arange(5.0).view(5, 1).t()
print("row", row.shape, row.stride())
for name, call in {
    "add number": lambda t: t + 1,
    "add": lambda t: t + t,
    "add broadcast": lambda t: t + torch.ones(5),
    "wide": lambda t: t + torch.ones(3, 1),
    "exp": lambda t: t.exp(),
    "eq": lambda t: t == 2,
    "clone": lambda t: t.clone(),
    "zeros_like": lambda t: torch.zeros_like(t),
    "contiguous": lambda t: t.contiguous(),
    "sum": lambda t: t.sum(0, keepdim=True),
    "cat": lambda t: torch.cat([t, t]),
    "unsqueeze": lambda t: t.unsqueeze(0),
    "where": lambda t: torch.where(t > 2, t, 0.0),
    "float": lambda t: t.double(),
    "index_fill": lambda t: t.index_fill(1, torch.tensor([0]), 1.0),
}.items():
    odd = torch.arange(40.0).as_strided((1, 5), (7, 1))
    print(name, call(row).stride(), call(odd).stride())
print("expand", torch.ones(2, 1).expand(1, 1, 2, 1).stride(), torch.ones(2, 3).expand(1, 4, 2, 3).stride(), torch.tensor(1.0).expand(1).stride())
empty = torch.zeros(2, 0, 6)
print("empty", empty.stride(), empty[::2, ::2, ::2].stride(), (empty + 1).stride(), empty.permute(2, 1, 0).clone().stride())
print("steps", torch.arange(3)[::7].stride(), torch.zeros(4, 5)[::3, ::9].stride())
column = torch.zeros(5, 4).t()
for name, call in {
    "scatter": lambda t: t.scatter(0, torch.zeros(4, 5, dtype=torch.long), 1.0),
    "scatter_add": lambda t: t.scatter_add(0, torch.zeros(4, 5, dtype=torch.long), t),
    "index_copy": lambda t: t.index_copy(0, torch.tensor([0]), t[:1]),
    "index_add": lambda t: t.index_add(0, torch.tensor([0]), t[:1]),
    "index_fill": lambda t: t.index_fill(0, torch.tensor([0]), 1.0),
    "masked_fill": lambda t: t.masked_fill(t > 0, 1.0),
}.items():
    print(name, call(column).stride())
