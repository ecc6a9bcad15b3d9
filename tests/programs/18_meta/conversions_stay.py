"""Conversions by name leave tensors of sizes alone where they are."""
import torch

meta = torch.arange(4, device="meta")
names = ("float", "half", "double", "long", "int", "short", "bool", "bfloat16", "cfloat", "byte")
print([str(getattr(meta, name)().device) for name in names], [getattr(meta, name)().dtype for name in names])
with torch.device("meta"):
    floats = torch.ones(2, 3).t()
    print(floats.half().device, floats.half().stride(), floats.double().device, floats.to(torch.int8).device)
with torch.device("cpu"):
    print(meta.float().device)
