# Quantized layers made by hand: printed, run, their state and weights taken out and put into others, saved whole.
import copy
import io
import warnings

import torch
import torch.ao.nn.intrinsic.quantized as nniq
import torch.ao.nn.quantized as nnq
import torch.ao.nn.quantized.dynamic as nnqd

warnings.simplefilter("ignore")
torch.manual_seed(0)


def weight(*shape):
    return torch.quantize_per_tensor((torch.arange(torch.Size(shape).numel()).reshape(shape) % 7 - 3) / 4, 0.25, 0, torch.qint8)


def channels(*shape, axis=0):
    plain = (torch.arange(torch.Size(shape).numel()).reshape(shape) % 5 - 2) / 2
    n = shape[axis]
    return torch.quantize_per_channel(plain, torch.linspace(0.25, 0.5, n), torch.zeros(n, dtype=torch.long), axis, torch.qint8)


def image(*shape):
    plain = (torch.arange(torch.Size(shape).numel()).reshape(shape) % 11 - 5) / 4
    return torch.quantize_per_tensor(plain, 0.125, 60, torch.quint8)


layers = [
    (nnq.Linear(4, 3), weight(3, 4), image(2, 4)),
    (nniq.LinearReLU(4, 3), channels(3, 4), image(2, 4)),
    (nnq.Conv1d(4, 4, 3, padding=1, groups=2), channels(4, 2, 3), image(1, 4, 5)),
    (nnq.Conv1d(2, 2, 3, padding=1, padding_mode="reflect"), weight(2, 2, 3), image(1, 2, 5)),
    (nnq.Conv2d(2, 4, (3, 2), stride=(1, 2), padding=1, dilation=(1, 1)), channels(4, 2, 3, 2), image(1, 2, 5, 5)),
    (nnq.Conv2d(2, 2, 3, padding=(1, 0), padding_mode="reflect", bias=False), weight(2, 2, 3, 3), image(1, 2, 4, 4)),
    (nnq.Conv3d(1, 2, 2), weight(2, 1, 2, 2, 2), image(1, 1, 3, 3, 3)),
    (nniq.ConvReLU1d(2, 2, 2), weight(2, 2, 2), image(1, 2, 4)),
    (nniq.ConvReLU2d(2, 2, 2), channels(2, 2, 2, 2), image(1, 2, 3, 3)),
    (nniq.ConvReLU3d(1, 2, 2), weight(2, 1, 2, 2, 2), image(1, 1, 2, 3, 2)),
    (nnq.ConvTranspose1d(2, 2, 3, stride=2), weight(2, 2, 3), image(1, 2, 4)),
    (nnq.ConvTranspose2d(2, 2, 3, stride=2, padding=1, output_padding=1), weight(2, 2, 3, 3), image(1, 2, 3, 3)),
]
for layer, w, x in layers:
    out_channels = w.shape[0] if not getattr(layer, "transposed", False) else w.shape[1]
    bias = None if getattr(layer, "bias")() is None else torch.arange(out_channels) / 2
    layer.set_weight_bias(w, bias)
    layer.scale, layer.zero_point = 0.5, 20
    print(layer)
    out = layer(x)
    print(out.int_repr().tolist(), out.q_scale(), out.q_zero_point())
    print(torch.equal(layer.weight().int_repr(), w.int_repr()), layer.weight().qscheme(), layer.bias())
    scripted = torch.jit.script(layer)
    print(torch.equal(scripted(x).int_repr(), out.int_repr()), [n for n, _ in scripted.named_modules()])
    state = layer.state_dict()
    print({k: v.shape if isinstance(v, torch.Tensor) else v for k, v in state.items() if "_packed" not in k}, dict(state._metadata))
    twin = copy.deepcopy(layer)
    layer.set_weight_bias(w, None)
    layer.scale = 1.0
    print(torch.equal(twin(x).int_repr(), out.int_repr()), torch.equal(layer(x).int_repr(), out.int_repr()))
    buffer = io.BytesIO()
    torch.save(state, buffer)
    buffer.seek(0)
    layer.load_state_dict(torch.load(buffer, weights_only=True))
    print(torch.equal(layer(x).int_repr(), out.int_repr()))
    buffer = io.BytesIO()
    torch.jit.save(torch.jit.script(twin), buffer)
    buffer.seek(0)
    print(torch.equal(torch.jit.load(buffer)(x).int_repr(), out.int_repr()))
x = image(2, 4, 3)
p = torch.nn.Parameter
for layer in (
    nnq.ReLU6(), nnq.Hardswish(0.125, 10), nnq.ELU(0.0625, 20, 0.5), nnq.LeakyReLU(0.125, 30, 0.25), nnq.Sigmoid(1 / 256, 0),
    nnq.Softmax(1, 1 / 256, 0), nnq.Dropout(0.3), nnq.DeQuantize(),
):
    print(layer, layer(x).flatten()[:6], list(layer.state_dict()))
    print(torch.equal(torch.jit.script(layer)(x).flatten()[:6].dequantize() if x.is_quantized else x, layer(x).flatten()[:6].dequantize()))
q = nnq.Quantize(0.5, 3, torch.qint8)
print(q, q(torch.tensor([1.0, -2.2])), torch.jit.script(q)(torch.ones(2)), q.state_dict())
prelu = nnq.PReLU(0.125, 30, 4)
prelu.set_weight(torch.quantize_per_tensor(torch.tensor([0.25, 0.5, 0.75, 1.0]), 0.25, 0, torch.quint8))
print(prelu, prelu(x)[0])
norm = nnq.BatchNorm2d(2)
norm.scale, norm.zero_point = torch.tensor(0.125), torch.tensor(40)
print(norm, norm(image(1, 2, 2, 2)))
lin = nnqd.Linear(4, 2)
lin.set_weight_bias(channels(2, 4), torch.tensor([1.0, -1.0]))
print(lin, lin(torch.ones(1, 4)), lin.weight().dtype, torch.equal(torch.jit.script(lin)(torch.ones(3, 4)), lin(torch.ones(3, 4))))
half = nnqd.Linear(4, 2, dtype=torch.float16)
half.set_weight_bias(torch.ones(2, 4) / 3, None)
print(half, half(torch.ones(1, 4)), half.bias())
conv = nnqd.Conv2d(1, 1, 2)
conv.set_weight_bias(weight(1, 1, 2, 2), None)
print(conv, conv(torch.ones(1, 1, 3, 3)))
