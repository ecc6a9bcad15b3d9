"""Tables with sparse gradients that get dense ones too: in one run, one after the other, asked for by name."""
import torch
import torch.nn as nn

e = nn.Embedding(5, 2, sparse=True)
rows = torch.tensor([0, 3, 3])
(e(rows).sum() + e.weight.sum()).backward()
print(e.weight.grad)
e.weight.grad = None
e(rows).sum().backward()
print(e.weight.grad)
e.weight.sum().backward()
print(e.weight.grad)
e(rows).sum().backward()
print(e.weight.grad)
e.weight.grad = None
for factor in (1.0, 2.0):
    (e(torch.tensor([4, 0, 4])) * torch.tensor([factor, 1.0])).sum().backward()
print(e.weight.grad, e.weight.grad.is_coalesced())
(e(torch.tensor([0, 1])) * torch.tensor([1.0, 3.0])).sum().backward()
print(e.weight.grad, e.weight.grad.coalesce())

y = e(rows)
print(torch.autograd.grad(y.sum(), e.weight, retain_graph=True), torch.autograd.grad(y.sum() + e.weight.sum(), e.weight))
try:
    y.sum().backward()
except RuntimeError as error:
    print(str(error)[:60])
other = torch.ones(3, 2, requires_grad=True)
e.weight.grad = None
(e(rows) * other).sum().backward(inputs=[other])
print(e.weight.grad, other.grad.shape)

bags, starts = torch.tensor([1, 2, 4, 5, 4, 3, 2, 4]), torch.tensor([0, 3, 6])
weights = torch.arange(1.0, 10).view(3, 3)
for options in ({}, {"padding_idx": 4}, {"include_last_offset": True}, {"scale_grad_by_freq": True}, {"mode": "sum"}):
    torch.manual_seed(0)
    bag = nn.EmbeddingBag(6, 3, **{"mode": "mean", "sparse": True, **options})
    try:
        y = bag(bags, torch.tensor([0, 3, 3, 8]) if "include_last_offset" in options else starts)
        (y * weights).sum().backward()
        print(options, y.grad_fn.name(), bag.weight.grad)
    except RuntimeError as error:
        print(options, error)
scales = torch.arange(1.0, 9.0, requires_grad=True)
bag.weight.grad = None
(bag(bags, starts, per_sample_weights=scales) * weights).sum().backward()
print(bag.weight.grad, scales.grad)

a = torch.sparse_coo_tensor([[1, 2, 4, 2]], torch.ones(4), (6,))
b = torch.sparse_coo_tensor([[1, 4, 0]], torch.ones(3), (6,))
print(a + b, a + a, b + a, a.coalesce() + b.coalesce())
