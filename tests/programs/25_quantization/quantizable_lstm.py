# An LSTM quantized after training, step by step: a custom module that is observed and converted as a whole.
import warnings

import torch
import torch.ao.nn.quantizable as nnqa
from torch import nn
from torch.ao.quantization import DeQuantStub, QuantStub, convert, default_qconfig, prepare

warnings.simplefilter("ignore")
torch.manual_seed(0)
plain = nn.LSTM(3, 4, batch_first=True)
plain.qconfig = default_qconfig
own = nnqa.LSTM.from_float(plain.eval())
x = torch.randn(2, 5, 3)
print(own)
print(torch.allclose(own(x)[0], plain(x)[0], atol=1e-6), [s.shape for s in own(x)[1]])


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = QuantStub(), DeQuantStub()
        self.lstm = nn.LSTM(3, 4, bidirectional=True)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        y, _ = self.lstm(self.quant(x))
        return self.dequant(self.head(y))


model = Model().eval()
model.qconfig = default_qconfig
prepared = prepare(model)
print(prepared)
for _ in range(3):
    prepared(torch.randn(4, 1, 3))
quantized = convert(prepared)
for module in quantized.modules():
    if isinstance(getattr(module, "scale", None), float):
        # Their last bits differ between machines.
        module.scale = round(module.scale, 5)
print(quantized)
print(quantized(torch.ones(2, 1, 3)))
cell = nnqa.LSTMCell(2, 3)
h, c = cell(torch.ones(1, 2))
print(cell, h.shape, c.shape)
