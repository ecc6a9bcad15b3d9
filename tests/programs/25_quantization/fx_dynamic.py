# Recorded models whose weights alone are quantized before: linear maps, recurrent layers and cells, tables.
import warnings

import torch
from torch import nn
from torch.ao.quantization import (
    QConfigMapping, default_dynamic_qconfig, float16_dynamic_qconfig, float_qparams_weight_only_qconfig, per_channel_dynamic_qconfig,
)
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx
from torch.nn import functional as F

warnings.simplefilter("ignore")


def exact(model):
    # Numbers that sums of floats have exactly, in whatever order.
    for tensor in [*model.parameters(), *model.buffers()]:
        if tensor.is_floating_point():
            tensor.data = (tensor.data * 16).round() / 16
    return model


class Maps(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.relu, self.fc2 = nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)
        self.weight, self.bias = nn.Parameter(torch.randn(4, 4)), nn.Parameter(torch.randn(4))

    def forward(self, x):
        x = self.relu(self.fc1(x))
        return self.fc2(F.relu(F.linear(x, self.weight, self.bias))) + self.fc2(x)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTM(4, 4, num_layers=2, bidirectional=True), nn.GRU(8, 4)
        self.lstm_cell, self.gru_cell, self.rnn_cell = nn.LSTMCell(4, 4), nn.GRUCell(4, 4), nn.RNNCell(4, 4, nonlinearity="relu")

    def forward(self, x, h, c):
        x, state = self.lstm(x, (h, c))
        x, last = self.gru(x)
        a, b = self.lstm_cell(x[0])
        return self.gru_cell(a), self.rnn_cell(b), state[0].sum(0), last


class Tables(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows, self.bags, self.fc = nn.Embedding(10, 4), nn.EmbeddingBag(10, 4, mode="sum"), nn.Linear(4, 2)

    def forward(self, i, offsets):
        return self.fc(self.rows(i)), self.bags(i, offsets)


def show(model, mapping, *inputs):
    torch.manual_seed(0)
    prepared = prepare_fx(exact(model()).eval(), mapping, inputs)
    print(prepared.graph)
    quantized = convert_fx(prepared)
    print(quantized.graph)
    print([(name, type(module).__name__) for name, module in quantized.named_children()], list(quantized.state_dict()))
    for result in torch.utils._pytree.tree_leaves(quantized(*inputs)):
        print([round(number, 3) for number in result.flatten().tolist()])
    scripted = torch.jit.script(quantized)
    same = zip(torch.utils._pytree.tree_leaves(scripted(*inputs)), torch.utils._pytree.tree_leaves(quantized(*inputs)))
    print(all(torch.equal(left, right) for left, right in same))


x = torch.arange(-8, 8).reshape(4, 4) / 8
for qconfig in (default_dynamic_qconfig, float16_dynamic_qconfig, per_channel_dynamic_qconfig):
    show(Maps, QConfigMapping().set_global(qconfig), x)
h = torch.zeros(4, 2, 4)
show(Recurrent, QConfigMapping().set_global(default_dynamic_qconfig), x.reshape(2, 2, 4), h, h + 0.25)
weights = QConfigMapping().set_object_type(nn.Embedding, float_qparams_weight_only_qconfig)
weights.set_object_type(nn.EmbeddingBag, float_qparams_weight_only_qconfig)
show(Tables, weights, torch.tensor([1, 2, 5, 9]), torch.tensor([0, 3]))
