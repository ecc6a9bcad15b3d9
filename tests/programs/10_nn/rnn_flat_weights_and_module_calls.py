# What recurrent layers compute with is `_flat_weights`; calls of modules go through `Module._call_impl`; bases of modules.
import copy
import pickle

import torch
import torch.nn as nn

torch.set_printoptions(precision=3, sci_mode=False)
torch.manual_seed(0)
x = torch.ones(1, 1, 2)
for kind in (nn.LSTM, nn.GRU, nn.RNN):
    layer = kind(2, 2)
    layer._flat_weights = [w * 0 for w in layer._flat_weights]
    print(kind.__name__, layer(x)[0].data)
    layer.weight_ih_l0.data.fill_(1.0)
    print(layer(x)[0].data, [name for name, _ in layer.named_parameters()])
    layer.float()
    print(layer._flat_weights[0] is layer.weight_ih_l0, bool(layer(x)[0].abs().sum() > 0))


class Dropped(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        self.raw = nn.Parameter(layer.weight_hh_l0.data)
        del layer._parameters["weight_hh_l0"]

    def forward(self, x):
        self.layer.weight_hh_l0 = self.raw * 0.5
        return self.layer(x)


layer = nn.GRU(2, 2)
dropped = Dropped(layer)
dropped(torch.ones(3, 1, 2))[0].sum().backward()
print(dropped.raw.grad.shape, bool(dropped.raw.grad.abs().sum() > 0))
layer = nn.GRU(2, 2)
layer._parameters["weight_ih_l0"] = nn.Parameter(torch.zeros(6, 2))
layer(x)
print(layer._flat_weights[0] is layer.weight_ih_l0)
for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
    print(other._flat_weights[0] is other.weight_ih_l0, other._flat_weights[0] is layer.weight_ih_l0)
layer = nn.GRU(2, 2)
zero = torch.func.functional_call(layer, {k: v * 0 for k, v in layer.named_parameters()}, (x,))[0]
print(zero.data, bool(layer(x)[0].abs().sum() > 0))

calls = []
original = nn.Module._call_impl


def patched(self, *args, **kwargs):
    calls.append(type(self).__name__)
    return original(self, *args, **kwargs)


nn.Module._call_impl = patched
try:
    nn.Sequential(nn.Linear(2, 2), nn.ReLU())(torch.ones(1, 2))
finally:
    nn.Module._call_impl = original
nn.ReLU()(x)
print(calls)
print([b.__name__ for b in nn.Linear.__mro__], nn.Module.state_dict.__qualname__, list(nn.Linear(1, 1).__dict__))
