# Operations on quantized numbers that need no layer.
import warnings

import torch
import torch.ao.nn.quantized.functional as qF
from torch.nn.quantized import functional as old

warnings.simplefilter("ignore")
print(old.linear is qF.linear)
x = torch.quantize_per_tensor(torch.arange(-8, 8).reshape(1, 1, 4, 4) / 4, 0.125, 30, torch.quint8)
print(qF.avg_pool2d(x, 2))
print(qF.avg_pool2d(x, 3, stride=1, padding=1, count_include_pad=False).int_repr())
print(qF.adaptive_avg_pool2d(x, 2).int_repr(), qF.adaptive_avg_pool2d(x, (1, 3)).int_repr())
print(qF.max_pool2d(x, 2), qF.max_pool1d(x[0], 2).int_repr())
print(qF.interpolate(x, scale_factor=2.0).int_repr())
print(qF.interpolate(x, size=(3, 3), mode="bilinear", align_corners=False).int_repr())
print(qF.upsample_nearest(x, size=2).int_repr(), qF.upsample_bilinear(x, size=(2, 3)).int_repr())
for result in (
    qF.hardtanh(x), qF.hardswish(x, 0.0625, 10), qF.elu(x, 0.0625, 20), qF.celu(x, 0.0625, 20, 0.5), qF.leaky_relu(x, 0.1),
    qF.leaky_relu(x, 0.1, scale=0.0625, zero_point=5), qF.threshold(x, 0.5, 0.25), qF.hardsigmoid(x), qF.clamp(x, -0.5, 1.0),
):
    print(result.int_repr().flatten().tolist(), result.q_scale(), result.q_zero_point())

w = torch.quantize_per_tensor(torch.arange(-4, 4).reshape(2, 1, 2, 2) / 2, 0.5, 0, torch.qint8)
print(qF.conv2d(x, w, torch.tensor([0.5, -0.5]), scale=0.25, zero_point=64))
print(qF.conv2d(x, w, None, stride=2, padding=1, scale=0.25, zero_point=64).int_repr())
w1 = torch.quantize_per_tensor(torch.tensor([[[1.0, -1.0]]]), 0.5, 0, torch.qint8)
print(qF.conv1d(x[:, 0, :1], w1, None, scale=0.25, zero_point=64))
m = torch.quantize_per_tensor(torch.tensor([[1.0, 2.0], [-1.0, 0.5]]), 0.125, 30, torch.quint8)
k = torch.quantize_per_channel(torch.tensor([[1.0, -2.0], [0.5, 0.25]]), torch.tensor([0.25, 0.125]), torch.tensor([0, 0]), 0, torch.qint8)
print(qF.linear(m, k), qF.linear(m, k, torch.tensor([1.0, -1.0]), 0.5, 3))


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print("<<" + type(e).__name__ + ">>")
        print(e)
        print("<<end>>")


plain = torch.ones(1, 1, 4, 4)
attempt(lambda: qF.avg_pool2d(plain, 2))
attempt(lambda: qF.avg_pool3d(plain, 2))
attempt(lambda: qF.adaptive_avg_pool2d(plain, 2))
attempt(lambda: qF.adaptive_avg_pool3d(plain, 2))
attempt(lambda: qF.interpolate(plain, 2))
attempt(lambda: qF.celu(plain, 1.0, 0))
attempt(lambda: qF.hardtanh(plain))
attempt(lambda: qF.hardswish(plain, 1.0, 0))
attempt(lambda: qF.threshold(plain, 0.5, 0.5))
attempt(lambda: qF.elu(plain, 1.0, 0))
attempt(lambda: qF.hardsigmoid(plain))
attempt(lambda: qF.clamp(plain, 0.0, 1.0))
attempt(lambda: qF.max_pool2d(x, 2, return_indices=True))
attempt(lambda: qF.max_pool1d(x, 2, return_indices=True))
attempt(lambda: qF.conv2d(x, w, None, padding_mode="circular"))
attempt(lambda: qF.conv2d(x[0], w, None))
attempt(lambda: qF.conv2d(plain, w, None))
attempt(lambda: qF.conv2d(x, plain, None))
attempt(lambda: qF.leaky_relu(x, 0.1, True, 0.5, 1))
