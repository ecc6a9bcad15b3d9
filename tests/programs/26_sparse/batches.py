# Batches of compressed sparse matrices: made, checked, printed, selected from, added.
import torch


def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(f"<<{type(e).__name__}>>")
        print(str(e).split(" This could")[0])
        print("<<end>>")


d = torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, -1.0]])
both = torch.stack([d, d.flip(0) * 2])
uneven = both.clone()
uneven[1] = 0
starts, columns = torch.tensor([[0, 1, 3], [0, 2, 3]]), torch.tensor([[1, 0, 2], [0, 2, 1]])
values = torch.tensor([[1.0, 2, 3], [4, 5, 6]])
t = torch.sparse_csr_tensor(starts, columns, values, (2, 2, 3))
blocks = torch.arange(1, 33.0).view(2, 4, 4)
blocks[:, :2, 2:] = 0
deep = torch.arange(1, 17.0).view(2, 2, 2, 2)

print(both.to_sparse_csr(), both.to_sparse_csc())
print(blocks.to_sparse_bsr((2, 2)), blocks.to_sparse_bsc((2, 2)).to_dense().equal(blocks))
print(deep.to_sparse_csr(), deep.to_sparse_csr(dense_dim=1), deep.to_sparse_csr(dense_dim=1).to_dense().equal(deep))
print(t, t.to_dense(), t._nnz(), t.sparse_dim(), t.dense_dim(), len(t))
print(t[0], t[0, 1], t[0, 1, 2], t.unbind(0)[1], t.to_sparse_coo(), t.to_sparse_csc())
print(t.transpose(1, 2), t.mT.to_dense(), t * 2, t + t, -t, t.sin().values(), t.sum())
print(torch.zeros_like(t), torch.ones_like(t).values(), t.double().dtype, both.sparse_mask(t))
print(torch.sparse_csr_tensor(starts, columns, values).shape, torch.zeros(2, 2, 3, layout=torch.sparse_csr)._nnz())
for f in (
    lambda: uneven.to_sparse_csr(),
    lambda: torch.ones(3).to_sparse_csr(),
    lambda: torch.ones(2, 3, 4).to_sparse_csr(dense_dim=2),
    lambda: t.select(1, 0),
    lambda: t[:, 0],
    lambda: t.to_sparse_bsr((1, 1)),
    lambda: t.transpose(0, 1),
    lambda: t.t(),
    lambda: t - t,
    lambda: t * t,
    lambda: t.sum(0),
    lambda: t @ torch.ones(3, 2),
    lambda: torch.bmm(t, torch.ones(2, 3, 2)),
    lambda: torch.cat([t, t]),
    lambda: both.to_sparse().to_sparse_csr(),
    lambda: torch.sparse_csr_tensor(starts, columns, values, (3, 2, 3), check_invariants=True),
    lambda: torch.sparse_csr_tensor(starts, columns[0], values, (2, 2, 3), check_invariants=True),
    lambda: torch.sparse_csr_tensor(starts, columns, values[0], (2, 2, 3), check_invariants=True),
    lambda: torch.sparse_csr_tensor(starts, columns, values, (2, 3), check_invariants=True),
    lambda: torch.sparse_csr_tensor(starts, columns, values[:, :2], (2, 2, 3), check_invariants=True),
    lambda: torch.sparse_csr_tensor(starts, columns + 1, values, (2, 2, 3), check_invariants=True),
    lambda: torch.sparse_csr_tensor(starts + 1, columns, values, (2, 2, 3), check_invariants=True),
):
    attempt(f)
