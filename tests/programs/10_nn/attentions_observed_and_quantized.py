"""``torch.ao.nn.quantizable.MultiheadAttention``: attention step by step, observed, quantized and back."""

import warnings

import torch
import torch.ao.nn.quantizable as quantizable
import torch.ao.quantization as quantization
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
x = torch.randn(3, 2, 4)
padded, ahead = torch.tensor([[False, False, True], [False, True, True]]), torch.triu(torch.ones(3, 3), 1).bool()


def attempt(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


class Wrapped(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.quant, self.attention, self.dequant = quantization.QuantStub(), nn.MultiheadAttention(4, 2, **options), quantization.DeQuantStub()

    def forward(self, x):
        x = self.quant(x)
        output, weights = self.attention(x, x, x)
        return self.dequant(output), weights


module = quantizable.MultiheadAttention(4, 2)
print(module, [(name, tuple(each.shape)) for name, each in module.named_parameters()])
plain = nn.MultiheadAttention(4, 2).eval()
plain.qconfig = quantization.default_qconfig
observed = quantizable.MultiheadAttention.from_float(plain)
print(observed)
for options in (
    {}, {"key_padding_mask": padded}, {"attn_mask": ahead}, {"attn_mask": ahead.float()}, {"need_weights": False},
    {"average_attn_weights": False}, {"attn_mask": ahead.expand(4, 3, 3)},
):  # fmt: skip
    results, expected = observed(x, x, x, **options), plain(x, x, x, **options)
    print(list(options), [a is b is None or torch.allclose(a, b, atol=1e-5) for a, b in zip(results, expected)])
attempt("both", lambda: observed(x, x, x, attn_mask=ahead, is_causal=True))
attempt("sizes", lambda: module(x, x, x[:, :1]))
attempt("width", lambda: module(x[..., :3], x, x))
attempt("heads", lambda: quantizable.MultiheadAttention(5, 2))
attempt("other sizes", lambda: quantizable.MultiheadAttention(4, 2, kdim=3, vdim=5)(x, x[..., :3], torch.ones(3, 2, 5))[0].shape)
attempt("not a plain one", lambda: quantizable.MultiheadAttention.from_float(nn.Linear(2, 2)))
attempt("no configuration", lambda: quantizable.MultiheadAttention.from_float(nn.MultiheadAttention(4, 2)))
attempt("not observed", lambda: torch.ao.nn.quantized.MultiheadAttention.from_float(plain))
for options in ({}, {"batch_first": True}, {"bias": False}, {"add_bias_kv": True}, {"dropout": 0.3}):
    wrapped = Wrapped(**options).eval()
    wrapped.qconfig = quantization.get_default_qconfig("fbgemm")
    prepared = quantization.prepare(wrapped)
    prepared(x)
    quantized = quantization.convert(prepared)
    output, weights = quantized(x)
    print(options, [round(v, 2) for v in output.flatten()[:4].tolist()], weights.dtype, sorted(quantized.attention.state_dict())[:2])
print(type(quantized.attention).__name__, quantized.attention._get_name(), hasattr(quantized.attention, "in_proj_weight"))
attempt("scripted", lambda: torch.jit.script(quantized)(x)[0].shape)
attempt("scripted", lambda: torch.jit.script(module)(x, x, x)[0].shape)
