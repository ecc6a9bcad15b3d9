"""``torch.sparse``: functions of sparse tensors."""

from typing import Union

import rushlight as torch

from .. import _names
from .._absent import refuse
from .._type_names import sparse_kinds

DType = torch.dtype
DimOrDims = Union[int, tuple, list, None]
Tensor = torch.Tensor

__all__ = [
    "addmm", "check_sparse_tensor_invariants", "mm", "sum", "softmax", "log_softmax", "sampled_addmm", "spdiags", "spsolve",
    "as_sparse_gradcheck",
]
globals().update(sparse_kinds())


def _rules():
    from .._sparse import _rules

    return _rules


def mm(mat1, mat2, reduce="sum"):
    """The product of two matrices, either of which may be sparse; sparse where both are.

    Args:
        mat1, mat2: the matrices.
        reduce: what becomes of the products for an element, ``"sum"``, ``"mean"``, ``"amax"`` or ``"amin"``; others than the sum are for
            a matrix in CSR times a dense one.
    """
    rules = _rules()
    if reduce != "sum":
        return rules.mm_reduced(mat1, mat2, reduce)
    if not (rules.is_sparse(mat1) or rules.is_sparse(mat2)):
        return torch.mm(mat1, mat2)
    rules.check_not_tracing()
    both = rules.is_sparse(mat1) and rules.is_sparse(mat2)
    return rules.as_called(rules.mm(mat1, mat2), "SparseSparseMatmulBackward0" if both else "SparseAddmmBackward0")


def addmm(mat, mat1, mat2, *, beta=1.0, alpha=1.0):
    """``beta * mat + alpha * mat1 @ mat2``."""
    rules = _rules()
    return rules.as_called(rules.addmm(mat, mat1, mat2, beta=beta, alpha=alpha), "SparseAddmmBackward0")


def _sparse(input, name):
    rules = _rules()
    rules.check_not_tracing()
    if name == "sum" and not (rules.is_sparse(input) and input.layout == _names.sparse_coo):
        layout = input._layout_name() if rules.is_sparse(input) else "Strided"
        raise RuntimeError(f"coalesce expected sparse coordinate tensor layout but got {layout}")
    if not rules.is_sparse(input):
        prefix = "sparse_" if name == "sampled_addmm" else "_sparse_"
        raise NotImplementedError(
            f"Could not run 'aten::{prefix}{name}' with arguments from the 'CPU' backend. This could be because the operator doesn't exist "
            f"for this backend. torch.sparse.{name} takes sparse tensors; torch.{name} takes dense ones."
        )
    return rules


def sum(input, dim=None, dtype=None):
    """The sum of a sparse tensor, of all elements or over some dimensions."""
    rules = _sparse(input, "sum")
    return rules.as_called(rules.sum_of(input, dim, dtype=dtype), "SumBackward0" if dim is None else "SparseSumBackward0")


def softmax(input, dim, *, dtype=None):
    """The softmax along a dimension, in which elements that are not there count for nothing."""
    rules = _sparse(input, "softmax")
    return rules.as_called(rules.softmax(input, dim, dtype), "SparseSoftmaxBackward0")


def log_softmax(input, dim, *, dtype=None):
    """The logarithm of :func:`softmax`."""
    rules = _sparse(input, "log_softmax")
    return rules.as_called(rules.log_softmax(input, dim, dtype), "SparseLogSoftmaxBackward0")


def sampled_addmm(input, mat1, mat2, *, beta=1.0, alpha=1.0):
    """``alpha * mat1 @ mat2`` at the places of a sparse matrix, plus ``beta`` times that matrix."""
    rules = _sparse(input, "sampled_addmm")
    made = rules.sampled_addmm(input, mat1, mat2, beta=beta, alpha=alpha)
    return rules.as_called(made, "SparseSampledAddmmBackward0")


def spdiags(diagonals, offsets, shape, layout=None):
    """A sparse matrix of diagonals: row ``i`` of the first argument stands on the diagonal ``offsets[i]``, by column."""
    from .._sparse._makers import sparse_coo_tensor

    diagonals = diagonals.reshape(1, -1) if diagonals.dim() < 2 else diagonals
    offsets = offsets.reshape(-1)
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    if diagonals.shape[0] != offsets.shape[0]:
        raise RuntimeError(
            f"Number of diagonals ({diagonals.shape[0]}) does not match the number of offsets ({offsets.shape[0]})"
        )
    if len(set(offsets.tolist())) < offsets.shape[0]:
        raise RuntimeError("Offset tensor contains duplicate values")
    rows, columns, values = [], [], []
    for diagonal, offset in zip(diagonals, offsets.tolist()):
        begin, end = max(0, offset), min(diagonal.shape[0], shape[1], shape[0] + offset)
        column = torch.arange(begin, max(begin, end))
        rows.append(column - offset)
        columns.append(column)
        values.append(diagonal[column])
    matrix = sparse_coo_tensor(torch.stack([torch.cat(rows), torch.cat(columns)]), torch.cat(values), tuple(shape), check_invariants=False)
    return matrix if layout in (None, _names.sparse_coo) else matrix.to_sparse(layout=layout)


class check_sparse_tensor_invariants:
    """Whether places are checked wherever a sparse tensor is made: as a block, a decorator, or by ``enable`` and ``disable``."""

    def __init__(self, enable=True):
        self.state = enable
        self._before = []

    @staticmethod
    def is_enabled():
        """Whether places are checked."""
        from .._sparse import _makers

        return bool(_makers._checked[0])

    @staticmethod
    def enable():
        """Checks from here on."""
        from .._sparse import _makers

        _makers._checked[0] = True

    @staticmethod
    def disable():
        """Checks no more."""
        from .._sparse import _makers

        _makers._checked[0] = False

    def __enter__(self):
        self._before.append(self.is_enabled())
        (self.enable if self.state else self.disable)()

    def __exit__(self, exc_type, exc_value, traceback):
        (self.enable if self._before.pop() else self.disable)()

    def __call__(self, function):
        import functools

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with type(self)(self.state):
                return function(*args, **kwargs)

        return wrapped


refuse(globals(), ("spsolve", "as_sparse_gradcheck", "to_sparse_semi_structured", "SparseSemiStructuredTensor"), NotImplementedError, lambda name: (
    f"torch.sparse.{name} is not part of Rushlight: sparse tensors have no solvers and no layouts for certain devices"
))
