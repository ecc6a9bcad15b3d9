# which of several mistakes is named, and with what: sizes before dtypes, last dimensions before first ones
import torch
import torch.nn as nn
import torch.nn.functional as F

def err(f):
    try:
        print(f())
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")


x = torch.ones(2, 3)
scalar = torch.tensor(1.0)

err(lambda: torch.ones(2).masked_fill(torch.ones(3), 1.0))
err(lambda: torch.ones(2).masked_fill(torch.ones(3).bool(), torch.ones(2)))
err(lambda: torch.ones(2).masked_fill_(torch.ones(3), 1.0))
err(lambda: x.expand(-1, -1, -1, 3))
err(lambda: torch.ones(3).expand(2, -1, 3))
err(lambda: x.repeat(-1, 2))
err(lambda: torch.ones(3).repeat(2, -3))
err(lambda: torch.cholesky_solve(torch.ones(2), x))
err(lambda: torch.cholesky_solve(x, torch.ones(2)))
err(lambda: torch.arange(0, float("nan")))
err(lambda: torch.arange(0, float("inf")))
err(lambda: torch.histc(torch.ones(1), min=float("nan")))
err(lambda: torch.special.round(torch.arange(3)))
err(lambda: torch.round(torch.arange(3), decimals=1))
err(lambda: scalar.size(0))
err(lambda: scalar.stride(0))
err(lambda: scalar.stride(-3))
for dtype in (torch.int32, torch.bool, torch.uint8, torch.uint16, torch.int64):
    err(lambda: torch.hann_window(3, dtype=dtype))
err(lambda: torch.kaiser_window(3, dtype=torch.complex64))
print(torch.blackman_window(5, periodic=False, dtype=torch.float64).tolist())
print(torch.blackman_window(5, periodic=False).tolist())
print(torch.hamming_window(5).tolist())
err(lambda: torch.meshgrid(x, torch.ones(1), indexing="ij"))
# States of recurrent cells, of another batch or width, with gradients and without.
for cell, count in ((nn.LSTMCell(3, 2), 2), (nn.GRUCell(3, 2), 1), (nn.RNNCell(3, 2), 1)):
    for wrong in (torch.ones(1, 2), torch.ones(2, 3), torch.ones(2)):
        err(lambda: cell(x, (wrong, torch.ones(2, 2)) if count == 2 else wrong))
        with torch.no_grad():
            err(lambda: cell(x, (wrong, torch.ones(2, 2)) if count == 2 else wrong))
err(lambda: nn.LSTMCell(3, 2)(x, (torch.ones(2, 2), torch.ones(1, 2))))
err(lambda: nn.LSTMCell(3, 2)(x, (torch.ones(2, 2), torch.ones(2, 1))))
err(lambda: nn.Conv2d(2, 3, 1)(torch.arange(6).view(2, 3)))
err(lambda: nn.Conv2d(2, 3, 1)(x))
err(lambda: nn.RMSNorm(2)(x))
err(lambda: nn.RMSNorm((2, 2))(x))
err(lambda: F.binary_cross_entropy(torch.tensor([0.5, 2.0]), torch.tensor([2.0, 0.5])))
err(lambda: F.binary_cross_entropy(torch.tensor([2.0, 0.5]), torch.tensor([0.5, 2.0])))
err(lambda: F.unfold(torch.ones(2), 1))
err(lambda: F.unfold(x, 1))
err(lambda: F.unfold(scalar, 1))
err(lambda: nn.MSELoss(foo=1))
err(lambda: nn.BCELoss(foo=1))
err(lambda: nn.BatchNorm1d())
