"""Attention with and without its weights, weighted losses, and what broadcasting refuses there."""

import torch
import torch.nn.functional as F
from torch import nn

loss = torch.jit.script(nn.BCELoss(torch.tensor(2.0)))
print(loss(torch.full((3, 4), 0.5), torch.ones(3, 4)))
half, ones = torch.full((3, 4), 0.5), torch.ones(3, 4)
for weight in (torch.ones(4), torch.ones(3, 1), torch.ones(2)):
    for call in (F.binary_cross_entropy, lambda x, y, w: torch.jit.script(nn.BCELoss(w))(x, y)):
        try:
            print(call(half, ones, weight))
        except RuntimeError as error:
            print(str(error).split("\n")[-1])

torch.manual_seed(0)
attention = nn.MultiheadAttention(4, 2, batch_first=True)
scripted = torch.jit.script(attention)
x = torch.rand(2, 3, 4)
for options in ({}, {"need_weights": False}, {"average_attn_weights": False}):
    output, weights = scripted(x, x, x, **options)
    print(output.shape, weights if weights is None else weights.shape, torch.allclose(output, attention(x, x, x, **options)[0]))
