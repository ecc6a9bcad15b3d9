# A recorded model that trains with numbers rounded as they will be quantized, and is quantized then.
import warnings

import torch
from torch import nn
from torch.ao.quantization import get_default_qat_qconfig_mapping
from torch.ao.quantization.quantize_fx import convert_fx, prepare_qat_fx
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
        self.conv, self.bn, self.relu = nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU()
        self.side = nn.Conv2d(4, 4, 1)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc1, self.fc2 = nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, x):
        x = self.relu(self.bn(self.conv(x)))
        x = torch.flatten(self.pool(self.side(x) + x), 1)
        return torch.sigmoid(self.fc2(F.relu(self.fc1(x))))


model = exact(Net()).train()
x = (torch.randn(4, 2, 6, 6) * 8).round() / 8
prepared = prepare_qat_fx(model, get_default_qat_qconfig_mapping(), (x,))
print(prepared.graph)
print({name: type(module).__name__ for name, module in prepared.named_children()})
print(type(prepared.conv).__module__, type(prepared.fc1).__module__)
optimizer = torch.optim.SGD(prepared.parameters(), lr=0.1)
losses = []
for _ in range(5):
    optimizer.zero_grad()
    loss = (prepared(x) - 0.75).square().mean()
    loss.backward()
    optimizer.step()
    losses.append(round(loss.item(), 3))
print(losses)
prepared.eval()
quantized = convert_fx(prepared)
print(quantized.graph)
print({name: type(module).__name__ for name, module in quantized.named_children()}, list(quantized.state_dict()))
print((quantized(x) - prepared(x)).abs().max() < 0.05, quantized(x).shape)
