# Blocks whose sums and joints are quantized: FloatFunctional becomes QFunctional; a residual block as vision models have it.
import warnings

import torch
from torch import nn
from torch.ao.nn.quantized import FloatFunctional, QFunctional
from torch.ao.quantization import DeQuantStub, QuantStub, QuantWrapper, convert, default_qconfig, fuse_modules, prepare, quantize

warnings.simplefilter("ignore")
torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 1)
        self.bn = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(channels, channels, 1)
        self.add_relu = FloatFunctional()

    def forward(self, x):
        out = self.conv2(self.relu(self.bn(self.conv(x))))
        return self.add_relu.add_relu(out, x)

    def fuse_model(self):
        fuse_modules(self, ["conv", "bn", "relu"], inplace=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = QuantStub(), DeQuantStub()
        self.blocks = nn.Sequential(Block(4), Block(4))
        self.joint = FloatFunctional()
        self.scaled = FloatFunctional()
        self.product = FloatFunctional()
        self.act = nn.LeakyReLU(0.125)
        self.relu = nn.ReLU()

    def forward(self, x):
        x = self.quant(x)
        y = self.blocks(x)
        z = self.joint.cat([x, y], 1)
        z = self.scaled.mul_scalar(z, 0.5)
        z = self.scaled.add_scalar(z, 0.25)
        z = self.product.mul(z, z)
        return self.dequant(self.relu(self.act(z)))


model = Net().eval()
for block in model.blocks:
    block.fuse_model()
model.qconfig = default_qconfig
prepared = prepare(model)
print(prepared)
# Numbers that one and the same float32 holds: the scales are those of every machine.
data = torch.arange(-32, 32).reshape(2, 4, 2, 4) / 16
for parameter in prepared.parameters():
    with torch.no_grad():
        parameter.copy_((parameter * 16).round() / 16)
with torch.no_grad():
    prepared(data)
    prepared(data / 2)
quantized = convert(prepared)
print(quantized)
out = quantized(data)
print(out)
scripted = torch.jit.script(quantized)
print(torch.equal(scripted(data), out))
print(scripted.code)
state = quantized.state_dict()
print({name: tuple(value.shape) for name, value in state.items() if isinstance(value, torch.Tensor)})
other = convert(prepare(model))
print(other.load_state_dict(state), torch.equal(other(data), out))


def calibrate(model, inputs):
    for x in inputs:
        model(x)


wrapped = QuantWrapper(nn.Sequential(nn.Linear(4, 3), nn.ReLU()))
wrapped.qconfig = default_qconfig
done = quantize(wrapped, calibrate, ([data[0, 0], data[1, 1]],))
print(done)
print(done(data[0, 0]).shape)
f, q = FloatFunctional(), QFunctional()
x = torch.tensor([[1.0, 2.0], [3.0, -4.0]])
print(f.add(x, x), f.mul(x, x), f.matmul(x, x), f.cat([x, x], 1), f.add_relu(x, x), f.add_scalar(x, 2.0), f.mul_scalar(x, 3.0))
q.scale, q.zero_point = 0.25, 8
y = torch.quantize_per_tensor(x, 0.125, 40, torch.quint8)
for result in (q.add(y, y), q.mul(y, y), q.matmul(y, y), q.cat([y, y], 1), q.add_relu(y, y), q.add_scalar(y, 2.0), q.mul_scalar(y, 3.0)):
    print(result)
print(q, list(q.state_dict().items()))
