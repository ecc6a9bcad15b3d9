"""Encoder layers in evaluation without gradients are one operator, in eager calls and in traces, unless something speaks against it."""

import re
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
x = torch.randn(2, 3, 4)
ahead = torch.triu(torch.ones(3, 3), 1).bool()
padded = torch.tensor([[False, False, True], [False, True, True]])


def layer(**options):
    return nn.TransformerEncoderLayer(4, 2, 8, **{"batch_first": True, **options}).eval()


def shown(values):
    return [round(value, 3) for value in values.flatten()[:4].tolist()]


def attempt(name, module, *args, grad=False, **kwargs):
    with torch.set_grad_enabled(grad):
        result = module(*args, **kwargs)
        print(name, shown(result), result.dtype, result.grad_fn is not None)
        try:
            traced = torch.jit.trace(module, example_kwarg_inputs={"src": args[0], **kwargs}) if kwargs else torch.jit.trace(module, args)
        except torch.jit.TracingCheckError as error:
            print("   ", str(error).split("\n")[1])
            return
    print("   ", str(traced.inlined_graph).count("aten::_transformer_encoder_layer_fwd"))


attempt("plain", layer(), x)
attempt("gradients", layer(), x, grad=True)
attempt("nothing requires them", layer().requires_grad_(False), x, grad=True)
attempt("gelu", layer(activation="gelu"), x)
attempt("norm first", layer(norm_first=True), x)
attempt("mask", layer(), x, ahead)
attempt("numbers as mask", layer(), x, ahead.float())
attempt("padding", layer(), x, src_key_padding_mask=padded)
attempt("both", layer(), x, ahead, padded)
attempt("batch not first", layer(batch_first=False), x)
attempt("one head", nn.TransformerEncoderLayer(4, 1, 8, batch_first=True).eval(), x)
attempt("no bias", layer(bias=False), x)
attempt("other function", layer(activation=torch.tanh), x)
attempt("no batch", layer(), x[0])
hooked = layer()
hooked.linear1.register_forward_hook(lambda *args: None)
attempt("hook", hooked, x)
apart = layer()
apart.norm1.eps = 1e-3
attempt("other eps", apart, x)
attempt("encoder", nn.TransformerEncoder(layer(), 2, nn.LayerNorm(4)).eval(), x)
attempt("encoder with mask", nn.TransformerEncoder(layer(), 2).eval(), x, ahead)
torch.backends.mha.set_fastpath_enabled(False)
attempt("switched off", layer(), x)
torch.backends.mha.set_fastpath_enabled(True)
with torch.no_grad():
    with torch.autocast("cpu"):
        print(layer()(x).dtype)
    traced = torch.jit.trace(layer(), (x, ahead, padded))
lines = (line for line in str(traced.inlined_graph).split("\n") if "GetAttr" not in line)
print("\n".join(re.sub(r" # .*|___torch_mangle_\d+\.", "", line) for line in lines))
