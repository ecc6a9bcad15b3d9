# Ranks are exact products: a quantile that is not quite a fraction lies beside the rank.
import torch

for n in (6, 11):
    for q in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        for dtype in (torch.float32, torch.float64):
            x = torch.arange(1, n + 1, dtype=dtype)
            print(n, q, [torch.quantile(x, q, interpolation=how).item() for how in ("linear", "lower", "higher", "midpoint", "nearest")], torch.nanquantile(x, q, interpolation="midpoint").item())
torch.manual_seed(0)
x = torch.randn(5, 7)
print(torch.renorm(x, 2, 0, 0.5).tolist())
