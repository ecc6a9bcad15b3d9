"""Which functions and methods take bools, tensors and numbers of NumPy for integers."""
import numpy as np
import torch

x = torch.arange(12.0).view(3, 4)
whole = torch.arange(6)
values = {"True": True, "1.0": 1.0, "tensor": torch.tensor(1), "one": torch.tensor([1]), "numpy": np.int64(1)}
calls = {
    "sum": lambda v: x.sum(v),
    "sum dim": lambda v: x.sum(dim=v),
    "sum list": lambda v: x.sum(dim=[v]),
    "mean": lambda v: x.mean(v),
    "softmax": lambda v: torch.softmax(x, v),
    "unsqueeze": lambda v: x.unsqueeze(v),
    "transpose": lambda v: x.transpose(0, v),
    "narrow": lambda v: x.narrow(0, 0, v),
    "roll": lambda v: x.roll(v),
    "zeros": lambda v: torch.zeros(v),
    "ones": lambda v: torch.ones([v]),
    "eye": lambda v: torch.eye(v),
    "topk": lambda v: x.topk(v)[0],
    "chunk": lambda v: x.chunk(v)[0],
    "cat": lambda v: torch.cat([x, x], dim=v),
    "gather": lambda v: x.gather(v, whole[:1][None]),
    "add": lambda v: torch.add(whole, v),
    "alpha": lambda v: torch.add(whole, whole, alpha=v),
    "clamp": lambda v: whole.clamp(v),
    "full": lambda v: torch.full((2,), v),
    "masked_fill": lambda v: whole.masked_fill(whole > 3, v),
    "tensor": lambda v: torch.tensor(v),
    "item": lambda v: x[v],
    "diagonal": lambda v: x.diagonal(v),
    "keepdim": lambda v: x.sum(0, keepdim=v),
}
for name, call in calls.items():
    for kind, value in values.items():
        try:
            result = call(value)
            print(name, kind, result.dtype, tuple(result.shape))
        except Exception as error:
            print(name, kind, f"<<{type(error).__name__}>>")
            print(str(error).split("\n")[0])
            print("<<end>>")
print(torch.ops.aten.unsqueeze(x, True).shape)
try:
    x[1.0:]
except TypeError as error:
    print(error)
