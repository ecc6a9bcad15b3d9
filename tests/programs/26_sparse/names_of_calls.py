# What recorded calls with sparse tensors are called, and which gradients are dense.
import torch

d = torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, -1.0]])
w, v = torch.ones(3, 2, requires_grad=True), torch.tensor([3.0, 4.0, 5.0, 10.0], requires_grad=True)
s = torch.sparse_coo_tensor([[0, 1, 1, 0], [2, 0, 2, 2]], v, (2, 3))
leaf, cs, dense = d.to_sparse().requires_grad_(), d.to_sparse_csr().requires_grad_(), d.clone().requires_grad_()
for t in (
    s, s.coalesce(), leaf.values(), dense.to_sparse(), dense.to_sparse(1), dense.to_sparse_csr(), s.to_dense(), cs.to_dense(),
    torch.sparse.mm(s, w), s @ w, torch.mv(s, w[:, 0]), cs @ w, torch.sparse.mm(leaf, leaf.t()), torch.addmm(torch.ones(2, 2), s, w),
    torch.sparse.addmm(torch.ones(2, 2), s, w), torch.sparse.sum(s), torch.sparse.sum(s, 0), s.sum(), s.sum(0), s + s, s - s, s * s, s * 2,
    s / 2, -s, s.abs(), s.t(), s.transpose(0, 1), s.permute(1, 0), s[0], s.unsqueeze(0), torch.cat([s, s]), torch.stack([s, s]),
    torch.sparse.softmax(s, 1), s.clone(), s.double(), s.norm(),
):  # fmt: skip
    print(t.grad_fn.name(), t.shape)
print(dense.to_sparse_csr(), s + s)
for make in (d.to_sparse, d.to_sparse_csr):
    for call in (
        lambda t: t @ w.detach(), lambda t: torch.sparse.mm(t, w.detach()), lambda t: t @ w[:, 0].detach(), lambda t: t.to_dense(),
        lambda t: t.sum(), lambda t: (t * t).to_dense(), lambda t: torch.ones(2, 3) + t, lambda t: torch.ones(4, 2) @ t,
        lambda t: torch.nn.functional.linear(torch.ones(1, 3), t),
    ):  # fmt: skip
        t = make().requires_grad_()
        call(t).sum().backward()
        print(t.grad.layout, t.grad.to_dense().tolist())
print(torch.autograd.gradcheck(lambda q: torch.sparse.mm(q, q).to_dense(), torch.eye(3).double().to_sparse().requires_grad_(), masked=True))
