"""Gradients of linear interpolation of long lines, which go to the two points that made each element."""
import torch
import torch.nn.functional as F

for size, target, corners in ((300, 611, False), (300, 599, True), (400, 97, False), (257, 257, False), (5, 11, False)):
    for dtype in (torch.float64, torch.float32):
        x = (torch.arange(3 * size) * 37 % 101 / 10 - 5).reshape(1, 3, size).to(dtype).requires_grad_()
        y = F.interpolate(x, size=target, mode="linear", align_corners=corners)
        (y * (torch.arange(target) % 5)).sum().backward()
        print(size, target, corners, dtype, x.grad.dtype, "%.2f" % x.grad.double().sum(), ["%.1f" % v for v in x.grad[0, 1, ::67].double()])
    x = (torch.arange(2 * size * 4) * 37 % 101 / 10 - 5).reshape(1, 2, size, 4).double().requires_grad_()
    y = F.interpolate(x, size=(target, 7), mode="bilinear", align_corners=corners)
    (y * (torch.arange(7) % 5)).sum().backward()
    print("%.5f" % x.grad.pow(2).sum(), ["%.3f" % v for v in x.grad[0, 1, ::97, 2]])
