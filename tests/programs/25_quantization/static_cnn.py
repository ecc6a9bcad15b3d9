# A small convolutional network quantized after training: fused, calibrated, converted, scripted, saved and loaded.
import io
import warnings

import torch
from torch import nn
from torch.ao.quantization import DeQuantStub, QuantStub, convert, fuse_modules, get_default_qconfig, prepare

warnings.simplefilter("ignore")
torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant = QuantStub()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(8, 4, 3, stride=2, groups=2)
        self.relu2 = nn.ReLU()
        self.pool = nn.AdaptiveAvgPool2d(2)
        self.fc1 = nn.Linear(16, 6)
        self.relu3 = nn.ReLU()
        self.drop = nn.Dropout(0.2)
        self.fc2 = nn.Linear(6, 3)
        self.dequant = DeQuantStub()

    def forward(self, x):
        x = self.quant(x)
        x = self.relu1(self.bn1(self.conv1(x)))
        x = self.relu2(self.conv2(x))
        x = torch.flatten(self.pool(x), 1)
        x = self.fc2(self.drop(self.relu3(self.fc1(x))))
        return self.dequant(x)


model = Net()
with torch.no_grad():
    model.train()
    for _ in range(3):
        model(torch.randn(4, 3, 9, 9))
model.eval()
fused = fuse_modules(model, [["conv1", "bn1", "relu1"], ["conv2", "relu2"], ["fc1", "relu3"]])
print(fused)
x = torch.randn(2, 3, 9, 9)
with torch.no_grad():
    print(torch.allclose(model(x), fused(x), atol=1e-5))
for backend in ("fbgemm", "qnnpack"):
    fused.qconfig = get_default_qconfig(backend)
    prepared = prepare(fused)
    print(prepared.conv1, prepared.quant)
    with torch.no_grad():
        torch.manual_seed(1)
        for _ in range(4):
            prepared(torch.randn(4, 3, 9, 9))
    quantized = convert(prepared)
    for name, module in quantized.named_modules():
        if hasattr(module, "scale") and isinstance(module.scale, float):
            # Calibration goes through convolutions of floats, whose last bits differ between machines.
            module.scale = round(module.scale, 5)
    print(quantized)
    out = quantized(x)
    print(out)
    scripted = torch.jit.script(quantized)
    print(torch.equal(scripted(x), out))
    buffer = io.BytesIO()
    torch.jit.save(scripted, buffer)
    buffer.seek(0)
    again = torch.jit.load(buffer)
    print(torch.equal(again(x), out), list(again.state_dict()))
    print(again.code)
    print(again.conv1.code)
print({name: tuple(v.shape) if isinstance(v, torch.Tensor) else type(v).__name__ for name, v in quantized.state_dict().items()})
