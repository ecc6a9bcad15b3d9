"""Sparse matrices of blocks: what they are made of, how they print, products, other layouts, gradients, refusals."""

import io

import torch


def show(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


dense = torch.tensor([[1.0, 0, 0, 0, 5, 6], [0, 2, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 3, 0, 0]])
for matrix in (dense.to_sparse_bsr((2, 3)), dense.to_sparse_bsc((2, 3)), dense.to_sparse_bsr((1, 2))):
    print(matrix)
    print(matrix.layout, matrix.shape, matrix.values().shape, matrix._nnz(), matrix.sparse_dim(), matrix.dense_dim(), matrix.is_sparse_csr)
    print(torch.equal(matrix.to_dense(), dense), torch.equal(matrix.t().to_dense(), dense.t()), matrix.t().layout, matrix.t().values().shape)
    print(matrix * 2, matrix + matrix, (-matrix).values().sum(), matrix.sum(), matrix.to(torch.float64))
    print(matrix.to_sparse(), torch.zeros_like(matrix), torch.ones_like(matrix).values().shape)
    print(matrix.to_sparse().is_coalesced(), matrix.to_sparse_bsc(matrix.values().shape[1:3]).values().shape)
    file = io.BytesIO()
    torch.save(matrix, file)
    file.seek(0)
    print(torch.load(file))
    for call in (
        matrix.stride, matrix.indices, matrix.crow_indices, matrix.row_indices, matrix.to_sparse_csr, matrix.numpy, lambda: matrix.sum(0),
        lambda: matrix.to_sparse_bsr((4, 2)),
    ):
        show(call)

blocks = dense.to_sparse_bsr((2, 2))
print(blocks @ torch.arange(6.0), blocks @ torch.ones(6, 2), torch.addmm(torch.ones(4, 1), blocks, torch.ones(6, 1)))
print(torch.nn.functional.linear(torch.ones(2, 6), blocks), torch.ones(1, 4) @ dense.to_sparse_bsc((2, 2)))
print(dense.to_sparse().to_sparse_bsr((2, 2)), dense.to_sparse_csr().to_sparse_bsc(2))
print(torch.ones(2, 4, 2).to_sparse_bsr((2, 2), dense_dim=1).values().shape)

values = torch.arange(12.0).reshape(2, 2, 3)
print(torch.sparse_bsr_tensor([0, 1, 2], [0, 1], values), torch.sparse_bsc_tensor([0, 1, 2], [0, 1], values, (4, 6)).to_dense())
print(torch.sparse_compressed_tensor([0, 1, 2], [1, 0], values.tolist(), layout=torch.sparse_bsr, dtype=torch.float64).to_dense())
for arguments in (
    ([0, 1, 3], [0, 1], values, (4, 6)), ([1, 1, 2], [0, 1], values, (4, 6)), ([0, 1, 2], [0, 5], values, (4, 6)),
    ([0, 1, 2], [0, 1], values, (4, 7)), ([0, 1, 2], [0, 1], torch.ones(2), (4, 6)), ([0, 1, 2], [0, 1], values, (6, 6)),
):
    show(lambda: torch.sparse_bsr_tensor(*arguments, check_invariants=True))
for size in ((3, 2), (0, 1), (2,), (2, 2, 2)):
    show(lambda: dense.to_sparse_bsr(size))
show(lambda: dense.to_sparse(layout=torch.sparse_bsr))
show(lambda: dense.to_sparse(blocksize=(2, 2)))

leaf = torch.arange(16.0).reshape(4, 4).requires_grad_()
(leaf.to_sparse_bsr((2, 2)).to_dense() * leaf).sum().backward()
print(leaf.grad)
torch.testing.assert_close(blocks, dense.to_sparse_bsr((2, 2)))
