# functional forms told apart by a flag or by types: pooling with indices, interpolate and upsample, sizes from one number
import torch
import torch.nn as nn
import torch.nn.functional as F


def show(name, *ts):
    for t in ts:
        if isinstance(t, (tuple, list)):
            show(name, *t)
        elif t is None:
            print(name, None)
        else:
            print(name, tuple(t.shape), [round(float(v), 4) + 0.0 for v in t.detach().flatten()[:12]])


torch.manual_seed(0)
x = torch.randn(1, 1, 4, 4)


def pools(x):
    y, where = F.max_pool2d(x, 2, return_indices=True)
    a, b = F.adaptive_max_pool2d(x, 2, True)
    return y, where, F.max_pool2d(x, [2, 1], stride=1), a, b, F.adaptive_max_pool2d(x, (1, 2)), F.max_unpool2d(y, where, 2)


def sizes(x):
    return (
        F.interpolate(x, 3),
        F.interpolate(x, [3, 5]),
        F.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False),
        F.interpolate(x, scale_factor=[0.5, 1.0], mode="bicubic"),
        F.interpolate(x, 2, mode="area"),
        F.upsample(x, scale_factor=0.5),
    )


def norms(x):
    return F.lp_pool2d(x, 2.0, 2), F.lp_pool2d(x.abs(), float("inf"), 2), F.unfold(x, 2, stride=2), F.fold(F.unfold(x, 2), (4, 4), 2)


for f in (pools, sizes, norms):
    show(f.__name__, f(x))
    show(f.__name__, torch.jit.script(f)(x))
print(torch.jit.script(pools).graph)


def by_argument(x, flag: bool):
    return F.max_pool2d(x, 2, return_indices=flag)


def no_overload(x):
    return F.interpolate(x, "a")


for f in (by_argument, no_overload):
    try:
        torch.jit.script(f)
    except RuntimeError as e:
        print(e)
