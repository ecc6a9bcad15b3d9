# Functions, methods and layers of recorded models: with weights, with known ranges, those that keep scales, and questions about sizes.
import warnings

import torch
from torch import nn
from torch.ao.quantization import get_default_qconfig_mapping
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx
from torch.nn import functional as F

warnings.simplefilter("ignore")


def exact(model):
    # Numbers that sums of floats have exactly, in whatever order.
    for tensor in [*model.parameters(), *model.buffers()]:
        if tensor.is_floating_point():
            tensor.data = (tensor.data * 16).round() / 16
    return model


class Weights(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1, self.b1 = nn.Parameter(torch.randn(4, 4)), nn.Parameter(torch.randn(4))
        self.w2 = nn.Parameter(torch.randn(3, 4))

    def forward(self, x):
        x = F.relu(F.linear(x, self.w1, self.b1))
        return F.linear(x, self.w2) + F.linear(x, self.w2)


class Activations(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.layers = nn.ModuleList([
            nn.Hardswish(), nn.Sigmoid(), nn.Tanh(), nn.ELU(), nn.LeakyReLU(0.125), nn.Hardsigmoid(), nn.Softmax(1), nn.Hardtanh(),
            nn.ReLU6(), nn.Identity(), nn.GELU(),
        ])

    def forward(self, x):
        x = self.fc(x)
        made = [layer(x) for layer in self.layers]
        made += [F.hardswish(x), torch.sigmoid(x), x.tanh(), F.elu(x), F.leaky_relu(x, 0.25), F.hardtanh(x), x.relu(), x.clamp(0, 1)]
        return made


class Shapes(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(2, 4, 1), nn.Linear(16, 2)

    def forward(self, x):
        x = F.max_pool2d(self.conv(x), 2)
        n = x.size(0)
        y = x.reshape(n, 4, -1)
        z = y.transpose(1, 2).contiguous().view(x.shape[0], -1)
        left, right = z.chunk(2, 1)
        return self.fc(z), left + right, x.mean([2, 3]).unsqueeze(1).squeeze(1), torch.stack([y, y]), F.interpolate(x, scale_factor=2.0)


class Sums(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.relu = nn.Linear(4, 4), nn.ReLU()

    def forward(self, x, y):
        a = torch.add(self.fc(x), y)
        b = self.relu(a * x) + 2
        c = torch.mul(b, 0.5) - y
        d = torch.matmul(a, b.t())
        return torch.relu(c + a), torch.cat((b, a), 0), d, {"twice": torch.exp(c), "pair": (y, 1 + b)}


def show(model, *inputs):
    torch.manual_seed(0)
    prepared = prepare_fx(exact(model()).eval(), get_default_qconfig_mapping(), inputs)
    shared = {}
    print([
        shared.setdefault(id(module), name) for name, module in prepared.named_modules(remove_duplicate=False) if "post_process" in name
    ])
    prepared(*inputs)
    quantized = convert_fx(prepared)
    print(quantized.code)
    print([(name, repr(module)) for name, module in quantized.named_modules() if name])
    for result in torch.utils._pytree.tree_leaves(quantized(*inputs)):
        print([round(number, 3) for number in result.flatten().tolist()])


x = (torch.arange(-16, 16) * 37 % 32 - 16).reshape(8, 4) / 8
show(Weights, x)
show(Activations, x)
show(Shapes, x.reshape(1, 2, 4, 4))
show(Sums, x[:4], x[4:])
