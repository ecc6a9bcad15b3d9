"""``torch.sparse``: functions of sparse tensors, which are not part of this version. Products of dense ones are plain products."""

import rushlight as torch

from ._absent import refuse
from ._sparse_tensors import _TEXT


def mm(input, mat2):
    """The product of two matrices."""
    return torch.mm(input, mat2)


def addmm(mat, mat1, mat2, *, beta=1.0, alpha=1.0):
    """``beta * mat + alpha * mat1 @ mat2``."""
    return torch.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


refuse(globals(), (
    "sum", "softmax", "log_softmax", "sampled_addmm", "spdiags", "spsolve", "as_sparse_gradcheck", "check_sparse_tensor_invariants",
    "to_sparse_semi_structured", "SparseSemiStructuredTensor",
), NotImplementedError, lambda name: f"torch.sparse.{name}: {_TEXT}")
