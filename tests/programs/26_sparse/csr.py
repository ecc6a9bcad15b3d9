"""Compressed sparse matrices: CSR and CSC, conversions, products."""
import warnings

import torch

warnings.simplefilter("ignore")
d = torch.tensor([[0.0, 1.0, 2.0], [3.0, 0.0, 5.0]])
m = torch.sparse_csr_tensor([0, 2, 4], [1, 2, 0, 2], [1.0, 2.0, 3.0, 5.0], (2, 3))
print(m, m.layout, m.is_sparse, m.is_sparse_csr, m.shape, m._nnz())
print(m.crow_indices(), m.col_indices(), m.values(), m.to_dense())
print(torch.sparse_csr_tensor(torch.tensor([0, 1, 2]), torch.tensor([0, 1]), torch.tensor([1, 2])))
print(d.to_sparse_csr(), d.to_sparse_csr().to_sparse(), d.to_sparse().to_sparse_csr(), d.to_sparse_csc())
print(m @ torch.ones(3, 2), m @ torch.ones(3), torch.sparse.mm(m, d.t()), m.matmul(d.t()))
print((m * 2).to_dense(), (m + m).to_dense(), m.t().to_dense(), m.t().layout, m.clone(), m.sum())
print(torch.sparse.sampled_addmm(m, torch.ones(2, 2), torch.ones(2, 3)))
print(torch.sparse_csc_tensor([0, 1, 2, 4], [1, 0, 0, 1], [3.0, 1.0, 2.0, 5.0], (2, 3)).to_dense())
c = d.to_sparse_csc()
print(c.ccol_indices(), c.row_indices(), c.values())
try:
    d.to_sparse().crow_indices()
except RuntimeError as error:
    print(str(error).split(" but")[0])
print(torch.sparse_compressed_tensor([0, 1, 2], [0, 1], [1.0, 2.0], layout=torch.sparse_csr).to_dense())
