"""vmap: where samples are counted in arguments and results, containers, nesting, parts, writing in place."""
import torch
from torch.func import vmap

x = torch.arange(12.0).reshape(3, 4)
y = torch.linspace(-1, 1, 4)
print(vmap(torch.sum)(x))
print(vmap(torch.sum, in_dims=1)(x))
print(vmap(lambda a, b: a * b + 1, in_dims=(0, None))(x, y))
print(vmap(lambda a: a * 2, in_dims=-1, out_dims=-1)(x).shape)
print(vmap(lambda a, b: torch.outer(a, b), in_dims=(0, None), out_dims=2)(x, y).shape)

# Containers.
tree = {"a": x, "b": [x + 1, 3]}
print(vmap(lambda t: t["a"].sum() * t["b"][1] + t["b"][0].max(), in_dims=({"a": 0, "b": [0, None]},))(tree))
out = vmap(lambda a: {"s": a.sin().sum(), "p": (a, a.mean())}, out_dims={"s": 0, "p": (1, 0)})(x)
print(out["s"], out["p"][0].shape, out["p"][1])
print(vmap(lambda a: (a.sum(), 7), out_dims=(0, None))(x))

# Nesting: all pairs.
pairs = vmap(vmap(lambda a, b: (a - b).abs(), in_dims=(None, 0)), in_dims=(0, None))
print(pairs(torch.arange(3.0), torch.arange(4.0)))
print(vmap(vmap(torch.dot))(torch.ones(2, 3, 4), torch.ones(2, 3, 4)))
print(torch.vmap(torch.mv, (None, 0))(torch.ones(2, 4), x))

# In parts.
for size in (1, 2, 3, 5):
    print(vmap(lambda a: a.cumsum(0), chunk_size=size)(x)[:, -1])


# What a sample looks like.
def look(a):
    print(a.shape, a.dim(), a.dtype, a.stride(), a.numel(), len(a), a.size(0), a.is_contiguous(), isinstance(a, torch.Tensor))
    print(a)
    return a[0] if a.dim() else a


print(vmap(look)(x))
print(vmap(vmap(lambda a: (print(a), a)[1]))(x[:2, :2]).shape)


# In place.
def in_place(a):
    a = a.clone()
    a[0] = 10
    a[1:3] += 1
    a.mul_(2).clamp_(max=15)
    a[a > 14] = 0
    return a


print(vmap(in_place)(x))
z = torch.zeros(3, 4)
vmap(lambda a, b: a.add_(b))(z, x)
print(z)


def gathered(row, index):
    return row[index], row.gather(0, index), row.index_select(0, index), torch.where(row > 2, row, -row)


print(vmap(gathered)(x, torch.tensor([[0, 1], [2, 3], [1, 1]])))
print(vmap(lambda i: x[i, i])(torch.tensor([0, 1, 2])))
print(vmap(lambda a, i: a[..., i], (None, 0))(x, torch.tensor([3, 0])))
print(vmap.__name__, vmap(look).__name__)
