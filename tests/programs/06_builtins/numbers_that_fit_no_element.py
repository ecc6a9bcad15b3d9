# Numbers that a tensor is made of must fit its elements; negative integers wrap into those without a sign.
import torch


def attempt(name, number):
    dtype = getattr(torch, name)
    for make in (lambda: torch.tensor(number, dtype=dtype), lambda: torch.tensor([1, number], dtype=dtype), lambda: torch.ones(1, dtype=dtype).new_tensor([number])):
        try:
            print(name, number, make().tolist())
        except Exception as error:
            print(name, number, type(error).__name__, error)


for name, bits in (("uint8", 8), ("int8", 8), ("int16", 16), ("int32", 32), ("uint16", 16), ("uint32", 32)):
    high = 2**bits - 1 if name[0] == "u" else 2 ** (bits - 1) - 1
    for number in (high, high + 1, high + 0.5, high + 1.0, -high, -high - 1, -high - 2, -0.5, 1.9, float("nan"), float("inf"), True):
        attempt(name, number)
for number in (1e30, -1e30, float("nan"), 2.0**63, -(2.0**63), 2**63 - 1):
    attempt("int64", number)
