"""Storages that get other sizes, and tensors that share them."""
import numpy as np
import torch


def attempt(name, call):
    try:
        print(name, call())
    except Exception as error:
        print(f"<<{type(error).__name__}>>")
        print(str(error).split("\n")[0])
        print("<<end>>")


x = torch.arange(6.0)
whole = x.view(2, 3)
storage = x.untyped_storage()
print(storage.nbytes(), storage.resize_(0) is storage, storage.nbytes(), whole.shape, whole.untyped_storage().nbytes())
storage.resize_(24)
whole.copy_(torch.full((2, 3), 2.0))
print(x, storage.nbytes(), len(storage))

x = torch.arange(6.0)
x.untyped_storage().resize_(48)
x.resize_(8)
print(x[:6], x.untyped_storage().nbytes())

x = torch.arange(3.0)
part = x[1:]
part.resize_(40)
part[0] = 7
print(x, part.shape, part.storage_offset(), x.untyped_storage().nbytes(), x.data_ptr() + 4 == part.data_ptr())

x = torch.arange(4.0)
typed = x.storage()
typed.resize_(6)
typed[5] = 3.0
print(typed.size(), typed[5], x, x.untyped_storage().nbytes())
x.untyped_storage().resize_(8)
print(x.shape, x.untyped_storage().nbytes(), x.storage().size())

weight = torch.nn.Parameter(torch.ones(3))
weight.untyped_storage().resize_(0)
weight.untyped_storage().resize_(12)
with torch.no_grad():
    weight.copy_(torch.full((3,), 2.0))
(weight * weight).sum().backward()
print(weight.grad)

made = torch.UntypedStorage(4)
made.resize_(8)
print(made.nbytes())
attempt("numpy", lambda: torch.from_numpy(np.zeros(3, dtype="float32")).resize_(10).shape)
attempt("numpy", lambda: torch.from_numpy(np.zeros(3, dtype="float32")).untyped_storage().resize_(40))

y = torch.zeros(0)
y.set_(torch.arange(6.0).untyped_storage(), 1, (2, 2), (2, 1))
print(y, y.untyped_storage().nbytes())
y.set_()
print(y.shape, y.untyped_storage().nbytes())
