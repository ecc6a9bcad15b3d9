"""What modes see of functions that make tensors, of bits, of moves to other dtypes and devices, and of numbers in place of tensors."""
import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Shows(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        print(func, [type(a).__name__ for a in args], {k: v for k, v in kwargs.items() if k != "generator"})
        return func(*args, **kwargs)


i, x = torch.tensor([1, 2]), torch.ones(2, 2)
print(torch.ops.aten.__and__, torch.ops.aten.__and__.Scalar, torch.ops.aten.__lshift__.Tensor(i, i))
with Shows():
    torch.ones(2), torch.ones(2, device="cpu"), torch.zeros(2, dtype=torch.int64), torch.empty(2, pin_memory=False)
    torch.randint(0, 3, (2,)), torch.randint(3, (2,), dtype=torch.int32), torch.randperm(3, dtype=torch.int64), torch.randperm(3)
    torch.ones(2, requires_grad=True), torch.full((2,), 1), torch.empty_strided((2,), (1,)), torch.ones(2, device="meta")
    torch.ones_like(x, memory_format=torch.preserve_format), torch.randn_like(x), torch.empty_like(x, device="cpu")
    x.new_empty(2), x.new_empty_strided((2,), (1,)), torch.logspace(0, 1, 2), torch.tril_indices(2, 2), torch.hann_window(3)
    torch.normal(0.0, 1.0, (2,)), torch.scalar_tensor(2.0), torch.randn(2, generator=torch.Generator()), torch.eye(2, 3)
    torch.arange(2, dtype=torch.int64), torch.nn.Linear(2, 1), torch.nn.functional.dropout(x)
print("bits")
with Shows():
    (i & 1, i | i, i ^ 1, ~i, i << 1, i >> i, 1 & i)
    i &= 3
    i |= 3
    i ^= 1
    i <<= 1
    i >>= 1
print("moves")
with Shows():
    x.to("cpu", torch.half), x.to(torch.device("meta")), x.to(x.double()), x.type_as(i), x.bool(), x.cpu()
    x.to(torch.float32, copy=True), x.to(memory_format=torch.contiguous_format), x.half().float()
print("numbers")
with Shows():
    torch.where(x > 1, 0.0, 1.0), torch.where(x > 1, x, 2), torch.where(i > 1, i, 3)
    x.std(), x.std(unbiased=False), x.var(0), torch.isfinite(x)
