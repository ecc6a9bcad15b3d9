# packed sequences through recurrent layers, eager and scripted; forward has an overload for each kind of input
import torch
import torch.nn as nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence


def show(name, *ts):
    for t in ts:
        if isinstance(t, (tuple, list)):
            show(name, *t)
        elif t is None:
            print(name, None)
        else:
            print(name, tuple(t.shape), [round(float(v), 4) + 0.0 for v in t.detach().flatten()[:12]])


torch.manual_seed(0)
sequences = [torch.randn(4, 3), torch.randn(2, 3), torch.randn(3, 3)]
packed = pack_sequence(sequences, enforce_sorted=False)
show("packed", packed.data)
print(packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
show("padded", pad_sequence(sequences, batch_first=True, padding_value=-1.0))
for layer in (nn.LSTM(3, 2, 2, bidirectional=True), nn.GRU(3, 2), nn.RNN(3, 2, nonlinearity="relu")):
    out, h = layer(packed)
    show(type(layer).__name__, out.data, h, pad_packed_sequence(out))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 2, batch_first=True)

    def forward(self, x, lengths):
        p = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, h = self.lstm(p)
        y, n = pad_packed_sequence(out, batch_first=True)
        return y, n, h[0]


class Passed(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, p: PackedSequence):
        out, h = self.inner(p)
        return out, h


tagger = Tagger()
x = torch.randn(2, 4, 3)
for m in (tagger, torch.jit.script(tagger)):
    show("tagger", m(x, torch.tensor([2, 4])))
out, h = torch.jit.script(Passed(nn.GRU(3, 2)))(packed)
show("passed", out.data, h)
print(torch.jit.script(tagger).code)
for lengths in ([1, 2], [2, 0]):
    try:
        pack_padded_sequence(torch.ones(2, 2, 1), lengths)
    except RuntimeError as e:
        print(e)
