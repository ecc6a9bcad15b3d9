# uint16, uint32 and uint64: order, bounds and tests, and what has no loop for them.
import torch

for name, top in (("uint16", 2**16 - 1), ("uint32", 2**32 - 1), ("uint64", 2**64 - 1)):
    dtype = getattr(torch, name)
    x = torch.tensor([top, 1, top // 2 + 1], dtype=dtype)
    y = torch.tensor([3, 1, 2], dtype=dtype)
    print(x.sort(), x.sort(descending=True).values, x.argsort(), x.msort(), x.unique(return_counts=True))
    print(torch.maximum(x, y), torch.minimum(x, y), torch.fmax(x, y), torch.fmin(x, y))
    print(x.clamp(2), x.clamp(max=5), x.clamp(1, 2), x.clamp(min=y), x.clone().clamp_(max=7), x.relu(), x.nan_to_num())
    print(x.isnan(), x.isinf(), x.isfinite(), x.isposinf(), x.isreal())
    print(torch.unique_consecutive(x), x.view(1, 3).unique(dim=0))
    for what in (
        "x.max()", "x.min(0)", "x.amax()", "x.argmax()", "x.aminmax()", "x.topk(2)", "x.kthvalue(1)", "x.median()", "x.mode()", "x.bincount()",
        "torch.searchsorted(y, x)", "x.diff()", "x.view(1, 3) @ x.view(3, 1)", "torch.linspace(0, 2, 3, dtype=dtype)",
    ):  # fmt: skip
        try:
            print(what, eval(what))
        except Exception as error:
            print(f"{what}\n<<{type(error).__name__}>>\n{error}\n<<end>>")
