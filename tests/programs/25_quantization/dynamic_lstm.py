# A model of an LSTM and linear maps with dynamic quantization: printed, run, scripted, saved, its state loaded into another.
import io
import warnings

import torch
from torch import nn
from torch.ao.quantization import default_dynamic_qconfig, per_channel_dynamic_qconfig, quantize_dynamic

warnings.simplefilter("ignore")
torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 5, num_layers=2, bidirectional=True, batch_first=True)
        self.mid = nn.Sequential(nn.Linear(10, 8), nn.ReLU())
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        y, _ = self.lstm(x)
        return self.head(self.mid(y))


model = Tagger().eval()
x = torch.randn(2, 4, 6)
q = quantize_dynamic(model)
print(q)
out = q(x)
print(out)
print(q.lstm(x)[1][0].shape)
scripted = torch.jit.script(q)
print(torch.equal(scripted(x), out))
buffer = io.BytesIO()
torch.jit.save(scripted, buffer)
buffer.seek(0)
print(torch.equal(torch.jit.load(buffer)(x), out))
print(scripted.head.code)

state = q.state_dict()
print([(name, type(value).__name__) for name, value in state.items()])
buffer = io.BytesIO()
torch.save(state, buffer)
buffer.seek(0)
torch.manual_seed(7)
other = quantize_dynamic(Tagger().eval())
print(torch.equal(other(x), out))
print(other.load_state_dict(torch.load(buffer, weights_only=False)))
print(torch.equal(other(x), out))

only = quantize_dynamic(model, {nn.Linear})
print(type(only.lstm), type(only.head))
half = quantize_dynamic(model, {nn.Linear}, dtype=torch.float16)
print(half.head, half(x)[0, 0])
named = quantize_dynamic(model, {"head": per_channel_dynamic_qconfig, nn.LSTM: default_dynamic_qconfig})
print(named)
print(named(x)[0, 0])
gru = quantize_dynamic(nn.Sequential(nn.GRU(3, 4)))
y, h = gru(torch.randn(2, 1, 3))
print(gru, y, h)
for cell in (nn.LSTMCell(3, 4), nn.GRUCell(3, 4), nn.RNNCell(3, 4), nn.RNNCell(3, 4, nonlinearity="relu")):
    holder = quantize_dynamic(nn.ModuleList([cell]))
    print(holder[0], holder[0](torch.ones(2, 3)))
    print(torch.jit.script(holder[0])(torch.ones(1, 3)))
packed = nn.utils.rnn.pack_sequence([torch.ones(3, 6), torch.zeros(2, 6), torch.ones(1, 6)])
y, (h, c) = q.lstm(packed)
print(y.data, y.batch_sizes, h.shape)
