# Losses: reductions, the older flags and what they warn of, weights, sizes that differ, and words that mean nothing.
import warnings
from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor

torch.manual_seed(0)
a, b, w = torch.randn(2, 3), torch.randn(2, 3), torch.rand(2, 3)


def flags(a, b, size_average: Optional[bool], reduce: Optional[bool], reduction: str):
    return [
        F.l1_loss(a, b, size_average, reduce, reduction),
        F.mse_loss(a, b, size_average, reduce, reduction),
        F.smooth_l1_loss(a, b, size_average, reduce, reduction, 0.5),
        F.soft_margin_loss(a, b, size_average, reduce, reduction),
        F.hinge_embedding_loss(a, b.sign(), 1.0, size_average, reduce, reduction),
        F.multilabel_soft_margin_loss(a, b.sigmoid(), None, size_average, reduce, reduction),
        F.poisson_nll_loss(a, b, size_average=size_average, reduce=reduce, reduction=reduction),
    ]


def weighted(a, b, w: Tensor, reduction: str):
    return [
        F.l1_loss(a, b, weight=w, reduction=reduction),
        F.mse_loss(a, b, weight=w, reduction=reduction),
        F.huber_loss(a, b, weight=w, reduction=reduction, delta=0.5),
    ]


def show(f, *args):
    for g in (f, torch.jit.script(f)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                print([round(t.double().sum().item(), 4) for t in g(*args)])
            except (RuntimeError, ValueError, torch.jit.Error) as e:
                print(type(e).__name__, str(e).strip().splitlines()[-1])
        if g is f:
            print(sorted({str(c.message) for c in caught}))


for size_average in (None, True, False):
    for reduce in (None, True, False):
        show(flags, a, b, size_average, reduce, "sum")
for reduction in ("none", "mean", "elementwise_mean", "median"):
    show(flags, a, b, None, None, reduction)
for reduction in ("none", "mean", "sum", "median"):
    show(weighted, a, b, w, reduction)
show(weighted, a, b, w[0], "mean")
show(weighted, a, b[:1], w, "mean")
