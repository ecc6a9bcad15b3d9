"""Whole numbers of no elements, divided by zero."""
import torch

nothing, zeros, one = torch.zeros(0, 3, dtype=torch.int64), torch.zeros(3, dtype=torch.int64), torch.ones(1, dtype=torch.int64)
for name, divide in (
    ("%", lambda a, b: a % b),
    ("//", lambda a, b: a // b),
    ("fmod", torch.fmod),
    ("trunc", lambda a, b: torch.div(a, b, rounding_mode="trunc")),
    ("floor", lambda a, b: torch.div(a, b, rounding_mode="floor")),
    ("remainder_", lambda a, b: a.clone().remainder_(b)),
):
    for a, b in ((nothing, 0), (nothing, zeros), (nothing, torch.tensor(0)), (nothing.to(torch.uint8), 0), (torch.tensor(0), nothing), (one, 0)):
        try:
            print(name, list(divide(a, b).shape))
        except RuntimeError as error:
            print(name, type(error).__name__, str(error)[:40])
