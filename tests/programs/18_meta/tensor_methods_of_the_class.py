# Methods of tensors are found on the class, dtypes are one object each, and copies of dtypes are the dtype.
import copy
import pickle
import torch

x = torch.arange(4.0)
print(hasattr(torch.Tensor, "relu"), hasattr(torch.Tensor, "add_"), hasattr(torch.Tensor, "no_such_method"))
print(torch.Tensor.add(x, 1), torch.Tensor.sum(x, dim=0, keepdim=True))
print(x.dtype is torch.float32, x.double().dtype is torch.float64, torch.get_default_dtype() is torch.float32)
print(copy.copy(torch.int32) is torch.int32, copy.deepcopy(torch.int32) is torch.int32)
print(pickle.loads(pickle.dumps(torch.bfloat16)) is torch.bfloat16)
print(x.relu.__name__, torch.relu.__name__, callable(x.relu), callable(torch.Tensor.relu))
print(list(map(torch.Tensor.item, x)))
try:
    torch.Tensor.relu(3)
except TypeError as error:
    print("TypeError", str(error))
print(x.view(2, 2).T, x.view(2, 2).mT.shape, x.nelement(), x.float() is x, x.max(0))
