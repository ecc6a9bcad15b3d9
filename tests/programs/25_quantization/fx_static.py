# A convolutional network with a residual sum, a joint and pools, recorded, observed and quantized: graphs, modules, state, numbers.
import io
import warnings

import torch
from torch import nn
from torch.ao.quantization import get_default_qconfig_mapping
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx
from torch.nn import functional as F

warnings.simplefilter("ignore")
torch.manual_seed(0)


def exact(model):
    # Numbers that sums of floats have exactly, in whatever order.
    for tensor in [*model.parameters(), *model.buffers()]:
        if tensor.is_floating_point():
            tensor.data = (tensor.data * 16).round() / 16
    return model


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(2))
        self.conv1, self.conv2 = nn.Conv2d(4, 4, 3, padding=1), nn.Conv2d(4, 4, 1)
        self.relu, self.act = nn.ReLU(), nn.Hardswish()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Sequential(nn.Dropout(), nn.Linear(8, 4), nn.ReLU6(), nn.Linear(4, 2))

    def forward(self, x):
        x = self.stem(x)
        y = self.conv2(self.relu(self.conv1(x)))
        y += x
        y = F.relu(y)
        z = torch.cat([y, self.act(x)], 1)
        z = torch.flatten(self.pool(z), 1)
        return self.head(z) * 2


model = exact(Net()).eval()
x = (torch.randn(2, 3, 8, 8) * 8).round() / 8
prepared = prepare_fx(model, get_default_qconfig_mapping(), (x,))
print(prepared.graph)
print([name for name, _ in prepared.named_children()])
for _ in range(2):
    prepared(x)
quantized = convert_fx(prepared)
print(quantized)
print(quantized.graph)
print(list(quantized.state_dict()))
y = quantized(x)
print(y)
print(torch.equal(torch.jit.script(quantized)(x), y), torch.equal(torch.jit.trace(quantized, x)(x), y))
file = io.BytesIO()
torch.jit.save(torch.jit.script(quantized), file)
file.seek(0)
print(torch.equal(torch.jit.load(file)(x), y))
