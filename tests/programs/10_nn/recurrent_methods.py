"""The methods that scripts of recurrent layers have, and the mask of a transformer made inside of a script."""

from typing import Optional

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

torch.manual_seed(0)
for kind, options in (
    (nn.LSTM, {}), (nn.LSTM, {"proj_size": 2, "bidirectional": True}), (nn.GRU, {"batch_first": True}), (nn.RNN, {"num_layers": 2}),
    (nn.RNN, {"nonlinearity": "relu", "bias": False}),
):
    layer = kind(3, 4, **options)
    scripted = torch.jit.script(layer)
    print(kind.__name__, options, scripted._c._method_names())
    x = torch.rand(2, 5, 3)
    eager, state = layer(x)
    print(torch.equal(scripted.forward__0(x)[0], eager), torch.equal(scripted.forward__0(x, state)[0], layer(x, state)[0]))
    packed = pack_padded_sequence(x, [1, 2, 2, 1, 1] if not layer.batch_first else [5, 3], layer.batch_first, False)
    print(torch.equal(scripted.forward__1(packed)[0].data, layer(packed)[0].data))
    print(scripted.forward__0(x[0])[0].shape)


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Transformer(4, 2, 1, 1, 4, batch_first=True)

    def forward(self, size: int, device: Optional[torch.device] = None, dtype: Optional[torch.dtype] = None):
        mask = self.inner.generate_square_subsequent_mask(size)
        return mask, self.inner.generate_square_subsequent_mask(size, device=device, dtype=dtype)


print(torch.jit.script(Masked())(2, torch.device("cpu"), torch.float64))
