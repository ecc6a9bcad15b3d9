# pooling, resampling and padding on scripted modules
import torch, torch.nn as nn
torch.manual_seed(0)
x = torch.randn(2, 3, 6, 6)
for m in (nn.MaxPool2d(3, 2, 1), nn.AvgPool2d(2, ceil_mode=True), nn.AdaptiveMaxPool2d(2), nn.LPPool2d(2, 2), nn.Upsample(scale_factor=1.5, mode="bilinear"), nn.Upsample(size=(4, 9), mode="nearest"), nn.ReflectionPad2d(2), nn.ReplicationPad2d((1, 0, 2, 1)), nn.ConstantPad2d(1, 2.0), nn.PixelShuffle(1), nn.Fold((6, 6), 1) if False else nn.Unfold(3, padding=1), nn.LocalResponseNorm(3), nn.Softmax2d(), nn.GLU(2), nn.Hardswish(), nn.Mish(), nn.ELU(), nn.CELU(), nn.SELU(), nn.RReLU().eval(), nn.Threshold(0.1, 0.2), nn.Softshrink(), nn.Hardshrink(), nn.LogSigmoid(), nn.Softsign(), nn.Tanhshrink(), nn.ReLU6(), nn.LeakyReLU(0.2)):
    v = x.clone().requires_grad_()
    y = torch.jit.script(m)(v)
    (y * y).sum().backward()
    print(type(m).__name__, tuple(y.shape), round(v.grad.norm().item(), 3), type(y.grad_fn).__name__)
