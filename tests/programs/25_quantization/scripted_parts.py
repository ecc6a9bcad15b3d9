# Observers and fake quantizers as scripts, beside themselves in Python; quantized models traced, frozen, copied.
import copy
import io
import warnings

import torch
import torch.ao.quantization as Q
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)


def stored(scripted):
    buffer = io.BytesIO()
    torch.jit.save(scripted, buffer)
    buffer.seek(0)
    return torch.jit.load(buffer)


for make in (
    lambda: Q.MinMaxObserver(),
    lambda: Q.MovingAverageMinMaxObserver(dtype=torch.qint8, qscheme=torch.per_tensor_symmetric),
    lambda: Q.PerChannelMinMaxObserver(dtype=torch.qint8, qscheme=torch.per_channel_symmetric),
    lambda: Q.PerChannelMinMaxObserver(qscheme=torch.per_channel_affine_float_qparams),
    lambda: Q.MovingAveragePerChannelMinMaxObserver(),
    lambda: Q.HistogramObserver(bins=16),
    lambda: Q.FakeQuantize(),
    lambda: Q.default_weight_fake_quant(),
    lambda: Q.default_per_channel_weight_fake_quant(),
    lambda: Q.default_fixed_qparams_range_0to1_fake_quant(),
):
    plain, scripted = make(), torch.jit.script(make())
    for i in range(1, 4):
        x = torch.arange(-6, 6).reshape(3, 4) * i / 4
        print(torch.equal(plain(x), scripted(x)), end=" ")
    print([torch.equal(a, b) for a, b in zip(plain.calculate_qparams(), scripted.calculate_qparams())])
    loaded = stored(scripted)
    print(loaded.original_name, list(loaded.state_dict()), torch.equal(loaded(x), scripted(x)))

model = nn.Sequential(Q.QuantStub(), nn.Conv2d(1, 2, 2), nn.ReLU(), Q.DeQuantStub())
model = Q.fuse_modules(model.eval(), ["1", "2"])
model.qconfig = Q.default_qconfig
prepared = Q.prepare(model)
x = torch.arange(9.0).reshape(1, 1, 3, 3)
prepared(x)
print(torch.equal(torch.jit.trace(prepared, x)(x), prepared(x)))
quantized = Q.convert(prepared)
scripted = torch.jit.script(quantized)
for other in (
    torch.jit.trace(quantized, x), torch.jit.freeze(scripted), torch.jit.optimize_for_inference(torch.jit.script(quantized)),
    copy.deepcopy(scripted), copy.deepcopy(quantized), stored(scripted), copy.deepcopy(stored(scripted)), stored(torch.jit.freeze(scripted)),
):
    print(type(other).__name__, torch.equal(other(x), quantized(x)))
trained = nn.Sequential(Q.QuantStub(), nn.Linear(2, 2), Q.DeQuantStub()).train()
trained.qconfig = Q.get_default_qat_qconfig("fbgemm", 0)
trained = Q.prepare_qat(trained)
x = torch.ones(1, 2)
trained(x)
trained.eval()
print(torch.equal(torch.jit.trace(trained, x)(x), trained(x)))


@torch.jit.script
def steps(x: torch.Tensor, scale: float, zero_point: int):
    q = torch.quantize_per_tensor(x, scale, zero_point, torch.quint8)
    return q.int_repr(), q.dequantize(), q.q_scale(), q.q_zero_point(), torch.ops.quantized.add(q, q, scale * 2, zero_point)


print(steps(torch.tensor([1.0, 2.0]), 0.5, 3))
