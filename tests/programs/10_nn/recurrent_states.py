# States of recurrent layers: with a batch, without, for packed sequences in any order, and those that do not fit.
import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_sequence, pad_packed_sequence


class Padded(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x, h: torch.Tensor):
        return self.layer(x, h)


class Packed(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x: PackedSequence, h: torch.Tensor):
        return self.layer(x, h)


def rounded(t):
    return tuple(t.shape), [round(v, 4) for v in t.detach().flatten().tolist()[:4]]


def attempt(f):
    try:
        f()
    except (RuntimeError, ValueError, torch.jit.Error) as e:
        print(f"<<{type(e).__name__}>>")
        print(str(e).strip().splitlines()[-1])
        print("<<end>>")


for kind, options in ((nn.RNN, {"nonlinearity": "relu"}), (nn.GRU, {"bidirectional": True}), (nn.GRU, {"batch_first": True})):
    torch.manual_seed(0)
    layer = kind(3, 4, **options)
    states = 2 if layer.bidirectional else 1
    x = torch.randn(5, 2, 3)
    batch = 5 if layer.batch_first else 2
    for module in (Padded(layer), torch.jit.script(Padded(layer))):
        for result in (module(x, torch.ones(states, batch, 4)), module(x[:, 0], torch.ones(states, 4))):
            print(rounded(result[0]), rounded(result[1]))
        attempt(lambda: module(x, torch.ones(states, 4)))
        attempt(lambda: module(x[0], torch.ones(states, 1, 4)))
        attempt(lambda: module(x, torch.ones(states, batch + 1, 4)))
        attempt(lambda: module(x[0, 0], torch.ones(states, 4)))
        attempt(lambda: module(x[..., :2], torch.ones(states, batch, 4)))
    packed = pack_sequence([torch.randn(n, 3) for n in (2, 4, 3)], enforce_sorted=False)
    h = torch.randn(states, 3, 4)
    for module in (Packed(layer), torch.jit.script(Packed(layer))):
        output, last = module(packed, h)
        padded, lengths = pad_packed_sequence(output)
        print(rounded(padded), lengths.tolist(), rounded(last))
        attempt(lambda: module(packed, torch.ones(states, 3, 5)))

torch.manual_seed(0)
lstm = nn.LSTM(3, 4, num_layers=2, proj_size=2)
x = torch.randn(5, 3)
output, (h, c) = lstm(x)
print(rounded(output), rounded(h), rounded(c))
output, (h, c) = lstm(x, (h, c))
print(rounded(output), rounded(h), rounded(c))
attempt(lambda: lstm(x, (h.unsqueeze(1), c.unsqueeze(1))))
attempt(lambda: lstm(x.unsqueeze(1), (h.unsqueeze(1), c)))
attempt(lambda: lstm(x, (c, c)))
attempt(lambda: lstm(x, (h, h)))
cell = nn.LSTMCell(3, 4)
h, c = cell(x[0])
print(rounded(h), rounded(c), rounded(cell(x, (torch.ones(5, 4), torch.zeros(5, 4)))[0]))
attempt(lambda: cell(x[None]))
attempt(lambda: cell(x, (torch.ones(1, 5, 4), torch.zeros(5, 4))))
attempt(lambda: nn.RNNCell(3, 4, nonlinearity="sin")(x))
