# Levels of vmap that a program begins and ends itself, as libraries that have containers of their own do.
import torch
from torch._C import _functorch

print(torch._C._are_functorch_transforms_active())
level = _functorch._vmap_increment_nesting(3, "error")
sample = _functorch._add_batch_dim(torch.arange(6.0).view(3, 2), 0, level)
print(level, sample.shape, torch._C._are_functorch_transforms_active(), _functorch.is_batchedtensor(sample))
result = sample * 2 + 1
print(_functorch._remove_batch_dim(result, level, 3, 0))
print(_functorch._remove_batch_dim(result, level, 3, 1))
print(_functorch._remove_batch_dim(torch.ones(2), level, 3, 0))
print(_functorch._vmap_decrement_nesting(), torch._C._are_functorch_transforms_active())
print(torch.func.vmap(lambda t: (t.sum(), torch.ones(1)), in_dims=1, out_dims=(0, 1))(torch.ones(2, 3)))
shared = torch.ones(3)
print(torch._C._is_alias_of(shared, shared[1:]), torch._C._is_alias_of(shared, shared + 1))
