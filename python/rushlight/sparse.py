"""``torch.sparse``: functions of sparse tensors."""

from typing import Union

import rushlight as torch

from . import _names
from ._absent import refuse

DType = torch.dtype
DimOrDims = Union[int, tuple, list, None]
Tensor = torch.Tensor

__all__ = [
    "addmm", "check_sparse_tensor_invariants", "mm", "sum", "softmax", "log_softmax", "sampled_addmm", "spdiags", "spsolve",
    "as_sparse_gradcheck",
]


def _rules():
    from ._sparse import _rules

    return _rules


def mm(mat1, mat2):
    """The product of two matrices, either of which may be sparse; sparse where both are."""
    rules = _rules()
    if not (rules.is_sparse(mat1) or rules.is_sparse(mat2)):
        return torch.mm(mat1, mat2)
    rules.check_not_tracing()
    return rules.mm(mat1, mat2)


def addmm(mat, mat1, mat2, *, beta=1.0, alpha=1.0):
    """``beta * mat + alpha * mat1 @ mat2``."""
    return _rules().addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def _sparse(input, name):
    rules = _rules()
    rules.check_not_tracing()
    if not rules.is_sparse(input):
        raise NotImplementedError(
            f"Could not run 'aten::_sparse_{name}' with arguments from the 'CPU' backend. torch.sparse.{name} takes sparse tensors; "
            f"torch.{name} takes dense ones."
        )
    return rules


def sum(input, dim=None, dtype=None):
    """The sum of a sparse tensor, of all elements or over some dimensions."""
    return _sparse(input, "sum").sum_of(input, dim, dtype=dtype)


def softmax(input, dim, *, dtype=None):
    """The softmax along a dimension, in which elements that are not there count for nothing."""
    return _sparse(input, "softmax").softmax(input, dim, dtype)


def log_softmax(input, dim, *, dtype=None):
    """The logarithm of :func:`softmax`."""
    return _sparse(input, "log_softmax").log_softmax(input, dim, dtype)


def sampled_addmm(input, mat1, mat2, *, beta=1.0, alpha=1.0):
    """``alpha * mat1 @ mat2`` at the places of a sparse matrix, plus ``beta`` times that matrix."""
    return _sparse(input, "sampled_addmm").sampled_addmm(input, mat1, mat2, beta=beta, alpha=alpha)


def spdiags(diagonals, offsets, shape, layout=None):
    """A sparse matrix of diagonals: row ``i`` of the first argument stands on the diagonal ``offsets[i]``, by column."""
    from ._sparse._makers import sparse_coo_tensor

    diagonals = diagonals.reshape(1, -1) if diagonals.dim() < 2 else diagonals
    rows, columns, values = [], [], []
    for diagonal, offset in zip(diagonals, offsets.reshape(-1).tolist()):
        begin, end = max(0, offset), min(diagonal.shape[0], shape[1], shape[0] + offset)
        column = torch.arange(begin, max(begin, end))
        rows.append(column - offset)
        columns.append(column)
        values.append(diagonal[column])
    matrix = sparse_coo_tensor(torch.stack([torch.cat(rows), torch.cat(columns)]), torch.cat(values), tuple(shape))
    return matrix if layout in (None, _names.sparse_coo) else matrix.to_sparse(layout=layout)


class check_sparse_tensor_invariants:
    """Whether places are checked wherever a sparse tensor is made: as a block, a decorator, or by ``enable`` and ``disable``."""

    def __init__(self, enable=True):
        self.state = enable
        self._before = []

    @staticmethod
    def is_enabled():
        """Whether places are checked."""
        from ._sparse import _makers

        return _makers._checked[0]

    @staticmethod
    def enable():
        """Checks from here on."""
        from ._sparse import _makers

        _makers._checked[0] = True

    @staticmethod
    def disable():
        """Checks no more."""
        from ._sparse import _makers

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
