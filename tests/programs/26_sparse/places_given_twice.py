"""Gradients of sparse tensors whose places come more than once, asked for in every way; sparse tensors printed with options set."""
import warnings

import torch

warnings.simplefilter("ignore")
i = torch.tensor([[0, 0, 1], [1, 1, 0]])
d = torch.arange(4.0).view(2, 2)
FUNCTIONS = {
    "times": lambda s: torch.sparse.sum(s * 2),
    "sum": torch.sparse.sum,
    "one dimension": lambda s: torch.sparse.sum(s, 0).to_dense().pow(2).sum(),
    "dense": lambda s: (s.to_dense() ** 3).sum(),
    "mm": lambda s: torch.sparse.mm(s, d).sum(),
    "square": lambda s: torch.sparse.sum(s * s),
    "values": lambda s: (s.coalesce().values() ** 2).sum(),
    "turned": lambda s: torch.sparse.sum(s.t() * 3),
    "softmax": lambda s: (torch.sparse.softmax(s, 1).to_dense() * d).sum(),
    "by dense": lambda s: torch.sparse.sum(s * d),
    "mv": lambda s: (s @ torch.arange(2.0)).sum(),
    "mixed": lambda s: torch.sparse.sum(s * 2) + (s.to_dense() ** 2).sum(),
    "whole": lambda s: s.sum() + torch.sparse.sum(s * 2),
}


def leaf():
    return torch.sparse_coo_tensor(i, torch.tensor([1.0, 2.0, 3.0]), (2, 2)).requires_grad_()


for name, function in FUNCTIONS.items():
    s = leaf()
    function(s).backward()
    once = s.grad.to_dense().tolist()
    function(s).backward()
    (asked,) = torch.autograd.grad(function(s), s)
    print(name, once, s.grad.to_dense().tolist(), asked.to_dense().tolist(), s.is_coalesced())
s = leaf()
(s * 2).backward(torch.sparse_coo_tensor(i, torch.tensor([1.0, 2.0, 3.0]), (2, 2)))
print(s.grad.to_dense())
s = leaf()
s.grad = torch.sparse_coo_tensor(i, torch.ones(3), (2, 2))
torch.sparse.sum(s * 2).backward()
print(s.grad.to_dense(), s.grad.layout)
v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
torch.sparse.sum(torch.sparse_coo_tensor(i, v, (2, 2)) * 2).backward()
print(v.grad)
s = leaf()
print(torch.autograd.grad((s.to_dense() ** 2).sum(), [s, v], allow_unused=True)[1], s.grad)
try:
    torch.autograd.grad((s.to_dense() ** 2).sum(), [s, leaf()])
except RuntimeError as error:
    print(error)
s = leaf()
torch.sparse.sum(s * 2).backward(inputs=[s])
print(s.grad)

for options in (
    {}, {"precision": 2, "sci_mode": True}, {"precision": 2}, {"sci_mode": False}, {"threshold": 2, "edgeitems": 1}, {"linewidth": 30},
):
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**options)
    print(options)
    s = torch.sparse_coo_tensor(i[:, 1:], torch.tensor([3e-7, 4.0]), (2, 2))
    print(s, s.to_sparse_csr(), s.to(torch.int64), s.to(torch.cfloat), s.requires_grad_() * 2)
    print(torch.sparse_coo_tensor(i[:, 1:], d / 3, (2, 2, 2)))
    for dtype in (torch.cfloat, torch.int64, torch.int32, torch.double, torch.bool):
        print(torch.sparse_coo_tensor(size=(2, 2), dtype=dtype), torch.zeros(2, 2, dtype=dtype).to_sparse_csr())
    print(torch.sparse_coo_tensor(torch.arange(2000)[None], torch.arange(2000.0) / 7, (2000,)))
