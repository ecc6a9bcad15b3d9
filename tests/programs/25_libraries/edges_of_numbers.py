"""Determinants and factors of what is no number, factors that end early, comparisons across layouts, operations that profiles count."""

import torch
import torch.linalg as L
from torch import fx, nn
from torch.profiler import ProfilerActivity, profile
from torch.testing import assert_close

nan = float("nan")
for m in (
    [[nan]], [[nan, 2.0], [3.0, 1.0]], [[1.0, nan], [1.0, 2.0]], [[0.0, 0], [0, nan]],
    [[2.0, 0, 0], [0, nan, 0], [0, 0, 3.0]],
):
    for dtype in (torch.float32, torch.float64, torch.complex64):
        print(m, dtype, [v.item() for v in L.slogdet(torch.tensor(m, dtype=dtype))])
    print(L.det(torch.tensor(m)))
print(L.slogdet(torch.full((6, 6), nan)))
print(L.slogdet(torch.tensor([[0.0, 1.0], [-2.0, 0.0]])), L.slogdet(torch.zeros(2, 2)))

for n, bad in ((3, 1), (6, 3), (17, 9), (40, 35)):
    rows = torch.arange(n * n, dtype=torch.float64).reshape(n, n).sin()
    a = rows @ rows.T / n + 4 * torch.eye(n, dtype=torch.float64)
    a[bad, bad] = -1
    for upper in (False, True):
        factor, info = L.cholesky_ex(a, upper=upper)
        kept = factor.T if upper else factor
        print(n, upper, info.item(), torch.equal(kept[bad + 1 :, bad + 1 :], a[bad + 1 :, bad + 1 :].tril()))
        print([round(v, 5) for v in kept[-1, : bad + 2].tolist()], round(kept[bad, bad].item(), 5))
print(L.cholesky_ex(torch.ones(3, 3)))

print(assert_close(torch.eye(2).to_sparse(), torch.eye(2), check_layout=False))
try:
    assert_close(torch.eye(2).to_sparse_csr(), torch.zeros(2, 2), check_layout=False)
except AssertionError as e:
    print(e)

cases = {
    "layer": (nn.Linear(4, 8), torch.ones(2, 3, 4)), "no bias": (nn.Linear(4, 8, bias=False), torch.ones(3, 4)),
    "two": (nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), torch.ones(3, 4)),
}
for label, (layer, x) in cases.items():
    with profile(activities=[ProfilerActivity.CPU], with_flops=True) as p:
        layer(x)
    counted = sorted((e.key, e.count, e.flops) for e in p.key_averages() if e.flops or e.key == "aten::linear")
    print(label, counted)


def rest(x: torch.Tensor, *r: int) -> torch.Tensor:
    return x * 2


def named(x: torch.Tensor, k: int = 3, *, name: str = "a") -> torch.Tensor:
    return x * k


def plain(x: torch.Tensor, k: int = 3) -> torch.Tensor:
    return x * k


for f in (rest, named, plain):
    print(fx.symbolic_trace(f).code)
