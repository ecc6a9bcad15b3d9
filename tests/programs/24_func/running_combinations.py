"""Running combinations of slices: `associative_scan`."""
import torch
from torch._higher_order_ops.associative_scan import associative_scan

x = torch.arange(6.0).reshape(2, 3)
for options in ({}, {"reverse": True}, {"combine_mode": "generic"}):
    print(associative_scan(lambda a, b: a + b, x, 1, **options))


def combined(a, b):
    return {"u": a["u"] * b["u"], "v": a["v"] * b["u"] + b["v"]}


print(associative_scan(combined, {"u": x + 1, "v": x}, 0, combine_mode="generic"))
