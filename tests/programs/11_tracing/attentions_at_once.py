"""Attention of a sequence to itself, in evaluation without gradients, is one operator, unless something speaks against it."""

import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
x, y = torch.randn(2, 3, 4), torch.randn(2, 3, 4)
ahead = torch.triu(torch.ones(3, 3), 1).bool()
padded = torch.tensor([[False, False, True], [False, True, True]])


def attention(**options):
    return nn.MultiheadAttention(4, 2, **{"batch_first": True, **options}).eval()


class Others(nn.Module):
    def __init__(self, inner, options):
        super().__init__()
        self.inner, self.options = inner, options

    def forward(self, *args):
        return tuple(part for part in self.inner(*args, **self.options) if part is not None)


class Itself(Others):
    def forward(self, x):
        return tuple(part for part in self.inner(x, x, x, **self.options) if part is not None)


def attempt(name, inner, *args, grad=False, **options):
    caller = (Itself if len(args) == 1 else Others)(inner, options).train(inner.training)
    with torch.set_grad_enabled(grad):
        results = caller(*args)
        traced = torch.jit.trace(caller, args, check_trace=False)
    shown = [[round(value, 3) for value in part.flatten()[:3].tolist()] + list(part.shape) for part in results]
    print(name, shown, "_native_multi_head_attention" in str(traced.inlined_graph))


attempt("itself", attention(), x)
attempt("no weights", attention(), x, need_weights=False)
attempt("weights of each head", attention(), x, average_attn_weights=False)
attempt("gradients", attention(), x, grad=True)
attempt("nothing requires them", attention().requires_grad_(False), x, grad=True)
attempt("other", attention(), x, y, y)
attempt("equal", attention(), x, x.clone(), x)
attempt("padding", attention(), x, key_padding_mask=padded)
attempt("padding as numbers", attention(), x, key_padding_mask=padded.float() * -1e9)
attempt("mask", attention(), x, attn_mask=ahead)
attempt("numbers as mask", attention(), x, attn_mask=ahead.float())
attempt("both", attention(), x, attn_mask=ahead, key_padding_mask=padded)
attempt("a mask for each head", attention(), x, attn_mask=ahead.expand(4, 3, 3))
attempt("batch not first", attention(batch_first=False), x)
attempt("no bias", attention(bias=False), x)
attempt("learned keys", attention(add_bias_kv=True), x)
attempt("a key of zeros", attention(add_zero_attn=True), x)
attempt("one head", nn.MultiheadAttention(4, 1, batch_first=True).eval(), x)
attempt("no batch", attention(), x[0])
attempt("training", attention().train(), x)
attempt("double", attention(dtype=torch.double), x.double())
