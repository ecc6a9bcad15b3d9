# Training with quantization: a few steps, observers and statistics frozen on the way, converted at the end.
import warnings

import torch
from torch import nn
from torch.ao.nn.intrinsic.qat import freeze_bn_stats
from torch.ao.quantization import (
    DeQuantStub,
    QuantStub,
    convert,
    disable_observer,
    fuse_modules_qat,
    get_default_qat_qconfig,
    prepare_qat,
)

warnings.simplefilter("ignore")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant = QuantStub()
        self.conv = nn.Conv2d(2, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(4, 3, 1)
        self.fc = nn.Linear(12, 2)
        self.act = nn.ReLU()
        self.dequant = DeQuantStub()

    def forward(self, x):
        x = self.relu(self.bn(self.conv(self.quant(x))))
        x = self.conv2(x)
        x = self.act(self.fc(torch.flatten(x, 1)))
        return self.dequant(x)


for backend, version in (("fbgemm", 1), ("qnnpack", 1), ("x86", 0)):
    torch.manual_seed(0)
    model = Net().train()
    model.qconfig = get_default_qat_qconfig(backend, version)
    model = fuse_modules_qat(model, [["conv", "bn", "relu"], ["fc", "act"]])
    model = prepare_qat(model)
    if version == 1:
        print(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        x, target = torch.randn(5, 2, 4, 4), torch.rand(5, 2)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), target)
        loss.backward()
        optimizer.step()
        print(step, round(loss.item(), 4))
        if step == 1:
            model.apply(disable_observer)
        if step == 2:
            model.apply(freeze_bn_stats)
    print([round(v, 5) for v in model.conv.weight_fake_quant.scale.tolist()], model.conv.weight_fake_quant.zero_point.tolist())
    print(model.quant.activation_post_process.calculate_qparams())
    quantized = convert(model.eval())
    print(type(quantized.conv), type(quantized.fc), quantized.conv.zero_point, quantized.fc.zero_point)
    print(round(quantized.conv.scale, 5), round(quantized.fc.scale, 5))
    torch.manual_seed(3)
    x = torch.randn(2, 2, 4, 4)
    out = quantized(x)
    print([[round(v, 3) for v in row] for row in out.tolist()])
    print(torch.equal(torch.jit.script(quantized)(x), out))
