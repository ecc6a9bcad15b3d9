# Pools and normalization of quantized numbers by their names in torch; biases of quantized layers are the parameters that they were.
import torch
import torch.ao.nn.quantized as nnq
import torch.ao.quantization as tq
import torch.nn as nn

torch.backends.quantized.engine = "fbgemm"
x = torch.arange(16.0).view(1, 1, 4, 4)
q = torch.quantize_per_tensor(x, 0.5, 0, torch.quint8)
c = torch.quantize_per_channel(torch.ones(2, 3), torch.tensor([0.1, 0.05]), torch.tensor([0, 1]), 0, torch.qint8)
print(torch.empty_quantized([2], q).q_scale(), torch.empty_quantized([2, 2], c).q_per_channel_scales())
print(torch.quantized_max_pool2d(q, 2), torch.quantized_max_pool2d(q, [2, 2], stride=[1, 1]), torch.quantized_max_pool1d(q[0], 2))
print(torch.quantized_max_pool3d(torch.cat([q[None], q[None]], 2), 2))
one = torch.ones(1)
print(torch.quantized_batch_norm(q, one * 0.3, one * 0.3, one, one, 1e-5, 0.1, 1))
for wrong in (lambda: torch.empty_quantized([2], x), lambda: torch.quantized_max_pool2d(x, 2), lambda: torch.quantized_max_pool1d(q, 2)):
    try:
        print(wrong())
    except (NotImplementedError, RuntimeError) as problem:
        print(type(problem).__name__, str(problem).split(" This could")[0])
m = nn.Sequential(tq.QuantStub(), nn.Conv2d(1, 2, 2), nn.Flatten(), nn.Linear(8, 2), nn.Linear(2, 1, bias=False)).eval()
m.qconfig = tq.get_default_qconfig("fbgemm")
prepared = tq.prepare(m)
prepared(torch.ones(2, 1, 3, 3))
done = tq.convert(prepared)
print(type(done[1].bias()), type(done[3].bias()), done[4].bias(), [type(v).__name__ for v in done.state_dict().values()])
other = nnq.Linear(8, 2)
other.load_state_dict(done[3].state_dict())
print(type(other.bias()), type(nnq.Linear(2, 3).bias()), len(list(done.parameters())))
