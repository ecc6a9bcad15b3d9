"""What a trace records of parameters and layers that are made meanwhile, of casts, of resizing and of splitting."""

import warnings

import torch
import torch.nn.functional as F
from torch import nn

x = torch.ones(2, 3)


def traced(f, *args):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        made = torch.jit.trace(f, args, check_trace=False)
    print(made.code)
    print([str(each.message)[:52] for each in heard if "deprecated" not in str(each.message)])
    return made


def normalized(a):
    return nn.LayerNorm(3)(a)


def asked(a):
    return a.clone().requires_grad_() * 2


def parameter(a):
    return a + nn.Parameter(torch.ones(3))


def constant(a):
    w = torch.zeros(3)
    nn.init.constant_(w, 2.0)
    w.requires_grad_(True)
    return a * w


def width(a):
    return nn.ReLU()(a) + nn.Linear(3, 3).weight.shape[0]


for f in (normalized, asked, parameter, constant, width):
    print(traced(f, x)(x).shape)
print(type(torch.jit.trace(lambda a: nn.Linear(3, 1)(a), x, check_trace=False)).__name__)


def cast(f):
    def run(*args):
        with torch.autocast("cpu", torch.bfloat16):
            return f(*args)

    return run


traced(cast(lambda a: a @ a.t()), x)
traced(cast(F.linear), torch.ones(2, 2), torch.ones(2, 2), torch.ones(2))
traced(cast(F.conv1d), torch.ones(1, 2, 2), torch.ones(2, 2, 1))
traced(cast(lambda a, w: (torch.bmm(a, w), torch.addmm(a[0], a[0], w[0]))), torch.ones(1, 2, 2), torch.ones(1, 2, 2))

for mode in ("nearest", "nearest-exact", "linear"):
    traced(lambda a: F.interpolate(a, size=6, mode=mode), torch.ones(1, 2, 3))
    traced(lambda a: F.interpolate(a, scale_factor=2.0, mode=mode), torch.ones(1, 2, 3))
again = traced(
    lambda a: F.interpolate(a, scale_factor=1.5, mode="bilinear", recompute_scale_factor=True), torch.ones(1, 1, 4, 4)
)
print(again(torch.ones(1, 1, 8, 8)).shape)

traced(lambda a: torch.cat([a, a], 1).split(a.shape[1], dim=1)[1], x)
traced(lambda a: torch.split(a, a.shape[0], 1)[0], x)
traced(lambda a: a.split([a.shape[1] - 1, 1], 1)[0], x)
traced(lambda a: a.split(2, 1)[0], x)
