# What names no device, where writes would meet, functions that were removed, and arguments of other kinds.
import warnings

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

warnings.simplefilter("ignore")


def refused(function):
    try:
        print(function())
    except Exception as error:
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")


for device in ((1,), (None,), (1.5,), (True,), ("cuda:0", 1), ("cpu", "a"), (-1,), ("cuda", -1), (), ("cpu", 0)):
    refused(lambda: torch.device(*device))
three = torch.ones(3)
for what in (
    "three.expand(2, 3).fill_(torch.tensor(1.0))", "three.expand(2, 3).addmm_(torch.ones(2, 2), torch.ones(2, 3))",
    "three.expand(2, 3).cumsum_(0)", "three.expand(2, 3).cumprod_(0)", "three.expand(2, 3).addr_(torch.ones(2), three)",
    "F.dropout(three.expand(2, 3), inplace=True)", "torch.cholesky(torch.eye(2))", "torch.qr(torch.eye(2))", "torch.qr(torch.eye(2), False)",
    "torch.eig(torch.eye(2))", "torch.symeig(torch.eye(2))", "torch.solve(torch.eye(2), torch.eye(2))", "torch.lstsq(torch.eye(2), torch.eye(2))",
    "torch.numel([1])", "three.requires_grad_('a')", "nn.LSTM(0, 2)", "nn.LSTM(2, 0)", "torch.ones(2, requires_grad=True).set_(three)",
    "torch.tensor(np.array([1], dtype='>i4'))", "F.unfold(torch.ones(1, 1, 2, 2), 3)", "F.unfold(torch.ones(1, 1, 5, 2), 2, dilation=3)",
    "F.fold(torch.ones(1, 4, 4), (5, 2), 2, dilation=3)",
):  # fmt: skip
    print(what)
    refused(lambda: eval(what))
quantized = [torch.quantize_per_tensor(t, 0.1, 0, torch.quint8) for t in (torch.ones(2), torch.zeros(2))]
refused(lambda: torch.testing.assert_close(*quantized))
for what in (torch.add, torch.Tensor.add, three.add, F.linear, torch.fft.fft, torch.special.erf, torch.Tensor.relu_):
    print(what.__name__, what.__qualname__)
print([name for name in ("contiguous", "view", "add_", "expand", "item", "fill_", "relu_", "gelu", "huber_loss", "backward") if hasattr(torch, name)])


def told(function):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        print(function(), [str(one.message).partition(" (Triggered")[0] for one in heard])


told(lambda: (torch.ones(1) + 1j).to(torch.float32))
told(lambda: torch.cross(torch.eye(3), torch.ones(3, 3)))
for shape, dtype in (((2,), torch.float32), ((2, 2), torch.float64), ((1,) * 20, torch.int32)):
    x = torch.empty(shape, dtype=dtype, device="meta")
    print(x, x.requires_grad_() if dtype.is_floating_point else "", x * 2)
for f in (torch.acos, torch.asin, torch.acosh, torch.asinh):
    print(f(torch.tensor([3 + 0j, -3 + 0j, complex(3, -0.0), complex(-3, -0.0), complex(-0.0, 2)])))
print(torch.sinc(torch.tensor([1.0, 2.0, 0.5, 0.0])))
