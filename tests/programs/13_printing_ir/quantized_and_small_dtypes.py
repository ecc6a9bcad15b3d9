import torch

for dt in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool):
    print(torch.tensor([0, 1, 1], dtype=dt), torch.tensor(1, dtype=dt), torch.zeros(0, dtype=dt), torch.zeros(1, 0, 2, dtype=dt))
q = torch.quantize_per_tensor(torch.tensor([0.5, 1.0, -1.0]), 0.1, 10, torch.quint8)
print(q)
print(q.int_repr(), q.dequantize())
qc = torch.quantize_per_channel(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([0.1, 0.2]), torch.tensor([0, 5]), 0, torch.qint8)
print(qc)
p = torch.nn.Parameter(torch.ones(2), requires_grad=False)
print(p)
i = torch.tensor([[0, 1], [1, 0]])
print(torch.Size([1, 2]), torch.float32, torch.device("cpu"), torch.strided, torch.contiguous_format, torch.per_tensor_affine)
print(repr(torch.finfo(torch.float16)), torch.iinfo(torch.int8))
print([torch.ones(1), torch.tensor(2)], {"a": torch.zeros(2)}, (torch.tensor(True),))
print("%s" % torch.ones(1), "{:.2f}".format(torch.tensor(3.14159)), f"{torch.tensor(7):5d}", str(torch.tensor(0.5)))
t = torch.arange(6).reshape(2, 3)
print(t.t(), t[:, 1], t.T[1], t.expand(2, 2, 3))
