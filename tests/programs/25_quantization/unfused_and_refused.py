"""Batch normalization that is not fused, what quantized layers refuse, and the warning about quantized tensors."""

import warnings

import torch
import torch.ao.quantization as Q
from torch import nn

with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    for _ in range(2):
        torch.quantize_per_tensor(torch.ones(2, 3), 0.1, 0, torch.qint8)
print([(each.category.__name__, str(each.message).split(" (Trig")[0]) for each in heard])
warnings.simplefilter("ignore")


class Normalized(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.q, self.bn, self.dq = Q.QuantStub(), layer, Q.DeQuantStub()

    def forward(self, x):
        return self.dq(self.bn(self.q(x)))


torch.manual_seed(0)
for layer, x in ((nn.BatchNorm2d(2), torch.randn(2, 2, 3, 3)), (nn.BatchNorm3d(2), torch.randn(1, 2, 2, 3, 3))):
    m = Normalized(layer).eval()
    m.qconfig = Q.default_qconfig
    p = Q.prepare(m)
    p(x)
    c = Q.convert(p)
    print(c)
    print(c(x))


def attempt(label, f):
    try:
        print(label, f())
    except Exception as e:
        print(label, type(e).__name__, str(e).splitlines()[0])


inputs = {
    "double": torch.ones(2, 4).double(), "wide": torch.ones(2, 5), "half": torch.ones(2, 4).half(), "long": torch.ones(2, 4).long(),
    "both": torch.ones(2, 5).double(), "vector": torch.ones(4), "wide vector": torch.ones(5), "scalar": torch.tensor(1.0),
    "double scalar": torch.tensor(1.0).double(), "none": torch.ones(0, 4), "none, wide": torch.ones(0, 5),
}
for dtype in (torch.qint8, torch.float16):
    layer = Q.quantize_dynamic(nn.Sequential(nn.Linear(4, 3)), dtype=dtype)
    for label, given in inputs.items():
        attempt((dtype, label), lambda: layer(given).dtype)
packed = torch.ops.quantized.linear_prepack(torch.quantize_per_tensor(torch.ones(3, 4), 0.1, 0, torch.qint8), None)
attempt("relu", lambda: torch.ops.quantized.linear_relu_dynamic(torch.ones(2, 5), packed))
wide = torch.quantize_per_tensor(torch.ones(2, 5), 0.1, 0, torch.quint8)
attempt("static", lambda: torch.ao.nn.quantized.Linear(4, 3)(wide))
