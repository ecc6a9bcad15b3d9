"""Convolutions with sums and activations after them give the same when they are optimized for inference."""
import io
import torch
import torch.nn as nn
import torch.nn.functional as F


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        y = self.conv(x)
        return F.relu(y), y


class Changed(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        x = x + 1
        y = self.conv(x)
        x.add_(1)
        return F.relu(y) + x.sum()


class Given(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, (3, 2), padding=(1, 0))

    def forward(self, x, low: float):
        return F.hardtanh(self.conv(x), low, 1.0)


class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, 2, 1)
        self.second = nn.Conv2d(8, 8, 5, 1, 2, groups=8)
        self.third = nn.Conv2d(8, 8, 1, bias=False)

    def forward(self, x):
        x = F.relu(self.first(x), inplace=True)
        x = F.relu(self.second(x))
        return torch.relu_(self.third(x))


class Ends(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, 2, 1, padding_mode="zeros")

    def forward(self, x):
        return F.hardtanh_(self.conv(x), -0.5, 0.25)


class Residual(nn.Module):
    """Sums with what came before, on either side and in place, some with a rectifier after them."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, padding=1)
        self.wide = nn.Conv2d(16, 16, 3, padding=1)
        self.thin = nn.Conv2d(16, 16, 1)
        self.deep = nn.Conv2d(16, 16, 3, padding=1, groups=16)
        self.side = nn.Conv2d(16, 24, 1, 2)
        self.step = nn.Conv2d(16, 24, 3, 2, 1)
        self.whole = nn.Conv2d(24, 1, 10)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = F.relu(self.wide(x) + x)
        x = x + self.thin(x)
        y = self.deep(x)
        y += x
        y = F.relu(y, inplace=True)
        y = F.silu(y + self.thin(y))
        z = self.step(y)
        z += self.side(y)
        z = F.relu(z)
        # Sizes that differ, and a sum with itself.
        z = z + self.whole(z)
        w = self.whole(z)
        return z, w + w


class Written(nn.Module):
    """What the convolution reads is written between it and the sum."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 1)
        self.second = nn.Conv2d(8, 8, 1)

    def forward(self, x):
        x = self.first(x)
        y = self.second(x)
        x.mul_(2)
        return F.relu(y + x)


class Kinds(nn.Module):
    """Every activation that a convolution can end with."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.each = nn.Conv2d(8, 8, 3, 2, 1, groups=8)
        self.point = nn.Conv2d(8, 8, 1)

    def forward(self, x):
        x = F.silu(self.conv(x), inplace=True)
        x = F.hardswish(self.each(x))
        x = F.gelu(self.point(x))
        x = F.leaky_relu(self.conv(x[:, :3]), 0.2)
        gate = F.hardsigmoid(self.point(F.adaptive_avg_pool2d(x, 1)))
        return torch.tanh(self.point(x * gate)) * torch.sigmoid(self.each(x).mean())


torch.manual_seed(3)
x = torch.randn(2, 3, 20, 20)
line = torch.randn(2, 3, 20)
block = torch.randn(2, 3, 5, 6, 7)
for name, module, arguments in [
    ("norm", nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.Conv2d(32, 16, 3, padding=1), nn.ReLU6()), (x,)),
    ("line", nn.Sequential(nn.Conv1d(3, 8, 3), nn.ReLU(), nn.Conv1d(8, 4, 2, dilation=2), nn.Hardtanh(-2.0, 1.0)), (line,)),
    ("block", nn.Sequential(nn.Conv3d(3, 4, 2), nn.ReLU(inplace=True)), (block,)),
    ("twice", Twice(), (x,)),
    ("changed", Changed(), (x,)),
    ("given", Given(), (x, -0.5)),
    ("steps", Steps(), (x,)),
    ("ends", Ends(), (x,)),
    ("residual", Residual(), (x,)),
    ("written", Written(), (x,)),
    ("kinds", Kinds(), (x,)),
    ("six", nn.Sequential(nn.Conv2d(3, 8, 5), nn.ReLU6(inplace=True)), (x,)),
]:
    module.eval()
    with torch.no_grad():
        want = module(*arguments)
        scripted = torch.jit.optimize_for_inference(torch.jit.script(module))
        frozen = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.script(module)))
        forms = [scripted, frozen]
        if name != "given":
            forms.append(torch.jit.optimize_for_inference(torch.jit.trace(module, arguments)))
        for form in forms:
            for _ in range(3):
                got = form(*arguments)
            pairs = zip(got, want) if isinstance(want, tuple) else [(got, want)]
            print(name, [torch.allclose(a, b, atol=1e-5) for a, b in pairs], [tuple(a.shape) for a in (want if isinstance(want, tuple) else [want])])
