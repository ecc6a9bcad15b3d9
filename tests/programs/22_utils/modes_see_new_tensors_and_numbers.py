"""Dispatch modes see tensors made of numbers and numbers read; operators of ``torch.ops`` give plain tuples."""
import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Seen(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(func)
        return func(*args, **(kwargs or {}))


with Seen():
    print(torch.tensor([1, 2]).sum().item())
    print(torch.tensor(1.5, requires_grad=True).requires_grad)
print(torch.ops.aten.topk(torch.tensor([1.0, 3.0, 2.0]), 2))
print(torch.ops.aten.sort.default(torch.tensor([2, 1])))
try:
    torch.ops.aten.add.Nope
except AttributeError as error:
    print(error)
try:
    torch.ones(1).__cuda_array_interface__
except AttributeError as error:
    print(error)
