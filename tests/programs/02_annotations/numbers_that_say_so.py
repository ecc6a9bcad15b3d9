import decimal
import fractions

import torch


@torch.jit.script
def whole(k: int):
    return k


@torch.jit.script
def real(k: float):
    return k


values = (True, decimal.Decimal("2.5"), fractions.Fraction(5, 2), torch.tensor(2), torch.tensor(2.5), torch.tensor([2]), 2, 2.0, "2", None, [2])
for function in (whole, real):
    for value in values:
        try:
            print(type(value).__name__, function(value))
        except RuntimeError as error:
            print(type(value).__name__, str(error).splitlines()[0])
