# the nodes that module results show, and their gradients
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(2, 3, 4, 4)
modules = [
    nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(3, 6, 3, groups=3, stride=2), nn.ConvTranspose2d(3, 2, 2, stride=2),
    nn.Conv2d(3, 2, 2, padding="same"), nn.BatchNorm2d(3), nn.BatchNorm2d(3).eval(), nn.LayerNorm([4, 4]),
    nn.GroupNorm(1, 3), nn.InstanceNorm2d(3, affine=True), nn.Linear(4, 2), nn.Linear(4, 2, bias=False), nn.PReLU(),
]
for m in modules:
    y = m(x)
    (y * torch.arange(y.numel()).reshape(y.shape).cos()).sum().backward()
    print(type(m).__name__, type(y.grad_fn).__name__, [round(p.grad.norm().item(), 3) for p in m.parameters()])
functions = [
    lambda v: torch.nn.functional.max_pool2d(v, 2), lambda v: torch.nn.functional.avg_pool2d(v, 2, 1, 1),
    lambda v: torch.nn.functional.adaptive_avg_pool2d(v, 3), lambda v: torch.nn.functional.adaptive_avg_pool2d(v, 1),
    lambda v: torch.nn.functional.interpolate(v, scale_factor=2, mode="bilinear"),
    lambda v: torch.nn.functional.interpolate(v, size=(5, 7), mode="bicubic", align_corners=True),
    lambda v: torch.nn.functional.interpolate(v, size=(5, 7)), lambda v: torch.nn.functional.pad(v, (1, 2, 0, 1), mode="reflect"),
    lambda v: torch.nn.functional.pad(v, (1, 2, 0, 1)), lambda v: torch.nn.functional.unfold(v, 2),
    lambda v: torch.softmax(v, 1), lambda v: v.log_softmax(-1), lambda v: torch.nn.functional.gelu(v),
    lambda v: v.std((1, 2)), lambda v: torch.logsumexp(v, (0, 1)), lambda v: v.transpose(1, 2).reshape(2, -1),
    lambda v: v.cumsum(1), lambda v: v.sort(dim=1, descending=True)[0], lambda v: torch.fft.rfft(v).abs(),
    lambda v: torch.linalg.inv(v @ v.mT + torch.eye(4)), lambda v: torch.einsum("abcd,abed->ce", v, v),
]
for f in functions:
    v = x.clone().requires_grad_()
    y = f(v)
    (y * torch.arange(y.numel()).reshape(y.shape).cos()).sum().backward()
    print(type(y.grad_fn).__name__, round(v.grad.norm().item(), 3), [round(a, 3) for a in v.grad[0, 0, 0].tolist()])
