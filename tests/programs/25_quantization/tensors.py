# Quantized tensors: made with one scale or one per channel, looked at, moved about, compared, converted, refused.
import warnings

import torch

warnings.simplefilter("ignore")


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print("<<" + type(e).__name__ + ">>")
        print(str(e).split("\n")[0][:150])
        print("<<end>>")


x = torch.tensor([[-1.0, 0.0, 1.0], [2.0, 2.24, 3.0]])
for dtype in (torch.quint8, torch.qint8, torch.qint32):
    q = torch.quantize_per_tensor(x, scale=0.125, zero_point=8, dtype=dtype)
    print(q)
    print(q.int_repr(), q.int_repr().dtype, q.dequantize(), q.q_scale(), q.q_zero_point(), q.qscheme(), q.is_quantized, q.dtype)
c = torch.quantize_per_channel(x, torch.tensor([0.125, 0.5]), torch.tensor([3, 1]), 0, torch.qint8)
print(c, c.q_per_channel_scales(), c.q_per_channel_zero_points(), c.q_per_channel_axis(), c.qscheme())
f = torch.quantize_per_channel(x, torch.tensor([0.125, 0.5, 0.25]), torch.tensor([3.5, 1.0, 0.0]), 1, torch.quint8)
print(f, f.int_repr(), f.qscheme())
print(torch.quantize_per_tensor(x, torch.tensor(0.5), torch.tensor(1), torch.qint8))
print(torch.quantize_per_tensor([x, -x], torch.tensor([0.5, 0.25]), torch.tensor([1, 2]), torch.quint8))
print(torch.quantize_per_tensor_dynamic(x, torch.quint8, False), torch.quantize_per_tensor_dynamic(x, torch.qint8, True))
print(torch.dequantize([q, c]))
print(torch.quantize_per_tensor(torch.tensor([1e9, -1e9, float("nan")]), 1.0, 0, torch.quint8)[:2])

q = torch.quantize_per_tensor(x, 0.25, 4, torch.quint8)
for made in (
    q[0], q[:, 1:], q.t(), q.reshape(3, 2), q.flatten(), q.clone(), q.contiguous(), q.permute(1, 0), q.unsqueeze(0), q.detach(),
    torch.cat([q, q]), torch.relu(q), q.max(), q.min(), q.expand(2, 2, 3), q.transpose(0, 1), q.view(6), q.squeeze(),
    q.clamp(0, 2), torch.sigmoid(q), torch.tanh(q), q.chunk(2)[1], q.split(1)[0], q.select(1, 0), torch.flip(q, [0]),
):
    print(made)
print(q.sort(1), q.topk(2))
print(q == q, q > 1.0, torch.equal(q, q.clone()), torch.allclose(q.dequantize(), x, atol=0.125))
print(q.mean(), q.mean(1))
print(q)
q.copy_(torch.zeros(2, 3))
print(q, q.fill_(1.5))
print(q.size(), q.stride(), q.numel(), q.element_size(), q.type(), q.device, q.nbytes, q.is_floating_point(), len(q))
print([t.tolist() if isinstance(t, torch.Tensor) else t for t in (q.dequantize(),)])
e = torch._make_per_tensor_quantized_tensor(torch.tensor([1, 2, 3], dtype=torch.uint8), 0.5, 1)
print(e, torch._make_per_channel_quantized_tensor(torch.tensor([[1], [2]], dtype=torch.int8), torch.tensor([0.5, 1.0]), torch.tensor([0, 1]), 0))
print(torch._empty_affine_quantized([2], scale=0.5, zero_point=1, dtype=torch.quint8).fill_(2.0))
print(repr(torch.quint8), torch.qint8, torch.per_tensor_affine, torch.per_channel_symmetric, torch.quint4x2)
print(torch._choose_qparams_per_tensor(x), torch._choose_qparams_per_tensor(x, True))
attempt(lambda: c.q_scale())
attempt(lambda: e.q_per_channel_axis())
attempt(lambda: x.q_scale())
attempt(lambda: x.int_repr())
attempt(lambda: torch.quantize_per_tensor(x, 0.5, 300, torch.quint8))
attempt(lambda: torch.quantize_per_tensor(x, 0.0, 0, torch.quint8))
attempt(lambda: torch.quantize_per_tensor(x.double(), 0.5, 0, torch.quint8))
print(q.requires_grad, torch.is_tensor(q), q.is_contiguous(), q.storage_offset())
