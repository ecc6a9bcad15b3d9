"""Scripts that speak of layouts and of sparse tensors, where a dense one comes."""
import torch


@torch.jit.script
def numbers():
    return [torch.strided, torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc, torch.jagged]


@torch.jit.script
def product(a: torch.Tensor, b: torch.Tensor):
    if a.layout == torch.sparse_bsr or a.layout == torch.sparse_csr:
        values = a.values()
        made = torch.sparse_coo_tensor(indices=a.col_indices()[None], values=values, size=(2, 2))
        return made.coalesce().to_sparse_csr().to_dense()
    if b.layout == torch.sparse_csc:
        return torch.sparse_csc_tensor(b.ccol_indices(), b.row_indices(), b.values(), [2, 2]).to_dense()
    if b.is_sparse:
        return b.to_sparse_bsr([1, 1]).to_dense() + b.to_sparse(1).to_dense() + b.to_sparse().to_dense()
    return a @ b


print(numbers())
print(product(torch.eye(2), torch.ones(2, 2)))
