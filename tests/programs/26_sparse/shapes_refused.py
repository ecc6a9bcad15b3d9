# Sparse tensors cannot be given other shapes: each way has its refusal.
import torch

coo = torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3))
for tensor in (coo, coo.to_sparse_csr()):
    for name, sizes in (("view", (6,)), ("reshape", (6,)), ("flatten", ()), ("expand", (2, 2, 3)), ("repeat", (2, 1))):
        try:
            print(getattr(tensor, name)(*sizes))
        except (NotImplementedError, RuntimeError) as problem:
            print(type(problem).__name__, str(problem).split(".")[0] if name == "view" else problem)
print(torch.functional.svd_lowrank is torch.svd_lowrank, torch.functional.pca_lowrank is torch.pca_lowrank)
