"""Convolutions with rectifiers after them give the same when they are optimized for inference."""
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
