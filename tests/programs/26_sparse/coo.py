"""Sparse tensors in COO: making, asking, arithmetic, dimensions, sums, printing."""
import warnings

import torch

warnings.simplefilter("ignore")


def show(name, function):
    try:
        print(name, "->", function())
    except (RuntimeError, IndexError, TypeError) as error:
        print(f"{name} <<{type(error).__name__}>>\n{str(error).splitlines()[0][:60]}\n<<end>>")


i = torch.tensor([[0, 1, 1], [2, 0, 2]])
v = torch.tensor([3.0, 4.0, 5.0])
s = torch.sparse_coo_tensor(i, v, (2, 3))
d = torch.arange(6.0).reshape(2, 3)
print(s, s.layout, s.is_sparse, s.is_sparse_csr, s.shape, s.dtype, s.device, s.requires_grad, s.is_leaf, s.grad)
print(s._nnz(), s.is_coalesced(), s.sparse_dim(), s.dense_dim(), s.dim(), s.numel(), s.size(1), len(s), s._indices(), s._values())
show("indices", lambda: s.indices())
show("values", lambda: s.values())
c = s.coalesce()
print(c, c.is_coalesced(), c.indices(), c.values(), c.coalesce() is c)
print(torch.sparse_coo_tensor(i, v), torch.sparse_coo_tensor((2, 3)), torch.sparse_coo_tensor(size=(2, 3)))
print(torch.sparse_coo_tensor([[0, 1]], [1, 2], dtype=torch.float64), torch.sparse_coo_tensor([[0, 1], [0, 0]], [1, 2], (2, 2)))
h = torch.sparse_coo_tensor([[0, 1]], torch.ones(2, 3), (4, 3))
print(h, h.sparse_dim(), h.dense_dim(), h.to_dense())
twice = torch.sparse_coo_tensor([[0, 0, 1], [1, 1, 0]], [1.0, 2.0, 5.0], (2, 2))
print(twice.coalesce(), twice.to_dense(), twice)
show("dims", lambda: torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (2, 2)))
show("count", lambda: torch.sparse_coo_tensor([[0, 1, 2]], [1.0, 2.0], (3,)))
show("negative", lambda: torch.sparse_coo_tensor([[0, -1]], [1.0, 2.0]))
show("checked", lambda: torch.sparse_coo_tensor([[0, 5]], [1.0, 2.0], (2,), check_invariants=True))
for name in ("clone", "detach", "cpu", "double", "long", "neg", "abs", "sqrt", "relu", "sin", "tanh", "sum", "to_dense", "to_sparse", "t", "sign",
             "log1p", "square", "floor", "isnan", "any", "norm", "element_size", "is_floating_point", "coalesce"):
    show(name, lambda: getattr(s, name)())
print(s.T, s + s, s - s, s * 2, 2 * s, s / 2, s * s, s * d, d * s, d + s, -s, d - s)
show("sparse + dense", lambda: s + d)
show("sparse + 1", lambda: s + 1)
print(s @ d.t(), torch.sparse.mm(s, d.t()), torch.sparse.mm(s, s.t()), s @ torch.ones(3), torch.mm(s, d.t()), d.t() @ s)
print(torch.sparse.addmm(torch.ones(2, 2), s, d.t(), beta=2.0, alpha=0.5), torch.addmm(torch.ones(2, 2), s, d.t()), torch.matmul(s, d.t()))
print(torch.bmm(torch.stack([s, s]), torch.stack([d.t(), d.t()])), torch.nn.functional.linear(d, s))
print(torch.sparse.sum(s), torch.sparse.sum(s, 0), torch.sparse.sum(s, dim=1), torch.sparse.sum(s, [0, 1]), torch.sum(s), s.sum(0))
print(torch.sparse.sum(s, dtype=torch.float64), torch.sparse.sum(h, 1))
print(torch.sparse.softmax(s, 1), torch.sparse.softmax(s, 0), torch.sparse.log_softmax(s, 1))
print(s.transpose(0, 1), s.permute(1, 0), s[0], s[0, 2], s.select(0, 1), s[:, 1], s.unsqueeze(0), list(s))
print(torch.cat([s, s], 0), torch.stack([s, s]), s.narrow_copy(1, 0, 2), s.to(torch.float64))
print(sorted(s.index_select(1, torch.tensor([0, 2])).to_dense().flatten().tolist()))
print(d.to_sparse(), d.to_sparse(1), d.to_sparse_coo(), d.sparse_mask(c), torch.zeros_like(s), torch.tensor(3.0).to_sparse().to_dense())
print(s.clone().add_(s), s.clone().mul_(2), s.clone().div_(2), d.clone().add_(s), s.clone().zero_(), s.clone().copy_(s), s.pow(2))
print(torch.eye(30).to_sparse(), torch.eye(2, dtype=torch.int64).to_sparse(), torch.is_tensor(s))
print(torch.sparse.spdiags(torch.arange(6.0).reshape(2, 3), torch.tensor([0, 1]), (3, 3)).to_dense())
for name in ("exp", "mean", "max", "nonzero"):
    try:
        getattr(s, name)()
    except NotImplementedError as error:
        print(str(error).split("'")[1].split(".")[0])
show("numpy", lambda: s.numpy())
show("storage", lambda: s.data_ptr())
show("tolist", lambda: s.tolist())
show("item", lambda: s.item())
show("reshape", lambda: s.reshape(3, 2))
with torch.sparse.check_sparse_tensor_invariants():
    show("checked", lambda: torch.sparse_coo_tensor([[0, -5]], [1.0, 2.0], (2,)))
print(torch.sparse.check_sparse_tensor_invariants.is_enabled())
