"""Scripted quantized convolutions: their methods, their state through archives, copies and traces."""

import copy
import io
import warnings

import torch
import torch.ao.nn.intrinsic.quantized as fused
import torch.ao.nn.quantized as quantized

warnings.simplefilter("ignore")
torch.manual_seed(0)

for layer, shape in (
    (quantized.Conv1d(2, 3, 2), (1, 2, 5)), (quantized.Conv2d(2, 2, (1, 2), stride=2, padding=1, groups=2), (1, 2, 4, 4)),
    (quantized.Conv2d(2, 2, 3, padding=1, padding_mode="reflect", bias=False), (1, 2, 4, 4)), (quantized.Conv3d(1, 2, 1), (1, 1, 2, 2, 2)),
    (quantized.ConvTranspose2d(2, 2, 2, output_padding=0), (1, 2, 3, 3)), (fused.ConvReLU2d(2, 2, 2), (1, 2, 4, 4)),
):
    weight = torch.quantize_per_tensor(torch.randn(layer.weight().shape), 0.05, 0, torch.qint8)
    layer.set_weight_bias(weight, None if layer.bias() is None else torch.arange(float(layer.out_channels)))
    layer.scale, layer.zero_point = 0.1, 3
    x = torch.quantize_per_tensor(torch.randn(shape), 0.1, 10, torch.quint8)
    scripted = torch.jit.script(layer)
    expected = layer(x).int_repr()
    print(scripted._c._method_names(), scripted._c._get_method("__getstate__").schema)
    loaded = torch.jit.load(io.BytesIO(scripted.save_to_buffer()))
    others = (scripted, loaded, copy.deepcopy(layer), torch.jit.trace(layer, x), torch.jit.freeze(scripted.eval()), copy.deepcopy(scripted))
    print([torch.equal(other(x).int_repr(), expected) for other in others])
    held, bias = loaded._weight_bias()
    print(torch.equal(held.int_repr(), weight.int_repr()), bias)
    scripted.set_weight_bias(torch.quantize_per_tensor(torch.zeros(weight.shape), 0.05, 0, torch.qint8), bias)
    print(scripted(x).int_repr().unique().tolist())
    print(scripted._c._get_method("__setstate__").code if isinstance(layer, quantized.Conv1d) else "")
