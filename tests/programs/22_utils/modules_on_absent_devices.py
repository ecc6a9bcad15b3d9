# Modules moved to devices that are not here, complex modules warn, functional_call of long ago, sizes that are no integers
import warnings
import torch
import torch.nn as nn
import torch.nn.functional as F
def tell(f):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try: print(f())
        except Exception as e: print("<<%s>>" % type(e).__name__); print(e); print("<<end>>")
    for w in told: print(w.category.__name__, w.message)
linear = lambda **kw: nn.Linear(1, 1, **kw)
tell(lambda: linear().cuda())
tell(lambda: linear().cuda(0))
tell(lambda: linear().cuda("cuda:1"))
tell(lambda: linear().cuda("cpu"))
tell(lambda: nn.ReLU().cuda())
tell(lambda: nn.Sequential(nn.ReLU(), nn.BatchNorm1d(2)).cuda())
for device in (3, "cuda", "cuda:0", "xpu", "mps", "cpu", "meta"):
    tell(lambda: linear().to(device))
    tell(lambda: nn.ReLU().to(device))
tell(lambda: linear().to(torch.float64).to(device=1))
tell(lambda: linear().to_empty(device="cuda"))
for dtype in (torch.complex64, torch.complex128, torch.float64):
    tell(lambda: linear().to(dtype).weight.dtype)
    tell(lambda: nn.ReLU().to(dtype=dtype))
tell(lambda: linear().to(torch.ones(1, dtype=torch.complex64)).weight.dtype)
tell(lambda: linear().to("cpu", torch.complex64).bias.dtype)
tell(lambda: linear(dtype=torch.complex64).weight.dtype)
tell(lambda: nn.utils.stateless.functional_call(linear(), {}, (torch.ones(1, 1),)).shape)
tell(lambda: torch.func.functional_call(linear(), {}, (torch.ones(1, 1),)).shape)
x = torch.ones(1, 1, 4, 4)
for size in (("a", "b"), (2.5, 2), [2, "a"], (None, 2), [2, 3.0], [torch.tensor(2), 2], (3, 2)):
    for mode in ("nearest", "bilinear"):
        tell(lambda: F.interpolate(x, size, mode=mode).shape)
for k in (2, 3):
    for kind in ("Avg", "Max"):
        for size in (2.5, (2,) * k):
            tell(lambda: getattr(nn, f"Adaptive{kind}Pool{k}d")(size)(torch.ones((1, 1) + (4,) * k)).shape)
