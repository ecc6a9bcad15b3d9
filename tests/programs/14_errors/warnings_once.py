"""Warnings of operators, of losses and of odd indices: what they say, and how often."""

import warnings

import numpy
import torch
import torch.nn.functional as F
from torch import nn

x = torch.ones(2, 3)
rows = [torch.ones(2).numpy(), torch.ones(2).numpy()]


def said(label, f, times=2):
    for _ in range(times):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                f()
            except Exception as e:
                print(label, type(e).__name__, str(e).splitlines()[0])
        texts = [str(each.message).split(" (Triggered")[0] for each in heard if "torch.jit" not in str(each.message)]
        print(label, [(each.category.__name__) for each in heard if "torch.jit" not in str(each.message)], texts)


said("complex halves", lambda: torch.zeros(1, dtype=torch.complex32))
said("complex halves again", lambda: torch.ones(1).half() * 1j)
said("index_reduce", lambda: x.index_reduce(0, torch.tensor([0]), x[:1], "amax"))
said("index_reduce_", lambda: x.clone().index_reduce_(0, torch.tensor([0]), x[:1], "mean"))
said("storage", lambda: x.storage())
said("istft", lambda: torch.istft(torch.stft(torch.ones(32), 8, window=torch.ones(8), return_complex=True), 8))
said("stft", lambda: torch.stft(torch.ones(32), 8, return_complex=True))
with torch.no_grad():
    said("projections, no gradients", lambda: nn.LSTM(4, 6, proj_size=2)(torch.ones(1, 1, 4)))
said("projections, double", lambda: nn.LSTM(4, 6, proj_size=2).double()(torch.ones(1, 1, 4).double()))
said("projections", lambda: nn.LSTM(4, 6, proj_size=2)(torch.ones(1, 1, 4)))
said("numbers of numpy", lambda: torch.tensor([rows[0][0], rows[1][0]]))
said("array", lambda: torch.tensor(numpy.ones((2, 2))))
said("list of arrays", lambda: torch.tensor(rows))
said("Wishart", lambda: torch.distributions.Wishart(torch.tensor(2.5), torch.eye(2)).sample((20,)))
said("sequence", lambda: x[[[0, 1], slice(None)]])
said("None", lambda: x[[None, 1]])
said("numbers", lambda: x[[0, 1]])
said("text", lambda: x["a"])
said("number and text", lambda: x[[1, "a"]])
said("number and text, 1-d", lambda: x[0][[1, "a"]])


def lambda_free(x):
    return x


said("examples", lambda: torch.jit.script(lambda_free, example_inputs=[(x,)]))
said("no examples", lambda: torch.jit.script(lambda_free, example_inputs=[]))


@torch.jit.script
def same(x, t):
    return F.mse_loss(x, t) + F.mse_loss(x, t)


@torch.jit.script
def two(x, t):
    return F.mse_loss(x, t) + F.l1_loss(x, t)


@torch.jit.script
def three(x, t):
    return F.l1_loss(x, t) + F.smooth_l1_loss(x, t) + F.huber_loss(x, t)


for f in (same, two, three):
    said(f.name, lambda: f(torch.ones(2, 2), torch.ones(2, 1)))
for f in (F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss):
    said(f.__name__, lambda: f(torch.ones(2, 2), torch.ones(2, 1)))

v = torch.arange(5.0)
said("large", lambda: v[2**70])
said("bound", lambda: v[: torch.tensor([1, 2])])
said("modulo", lambda: pow(torch.tensor(2), 3, 5))
