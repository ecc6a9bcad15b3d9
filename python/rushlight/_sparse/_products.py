"""Rules for products of matrices."""

import rushlight as torch

from .._names import Size
from ._core import _refuse, _rule, _summed, _to, as_coo, as_layout, coalesce, is_sparse
from ._elements import add, mul
from ._makers import compress
from ._shapes import _expand, _reshape, transpose
from ._tensor import COO, CSR, SparseTensor


# Products of matrices.
def _times_dense(matrix, dense):
    """A sparse matrix times a dense one."""
    rows, columns = as_coo(matrix).places
    held = as_coo(matrix).held.unsqueeze(1) * dense[columns]
    return _summed(held, rows, matrix.shape[0])


def _dtype_class(tensor):
    """``Float`` and its kin."""
    held = tensor.held if is_sparse(tensor) else tensor
    return held.type().rpartition(".")[2].removesuffix("Tensor")


def _times_sparse(first, second):
    """The product of two sparse matrices, in COO."""
    a, b = coalesce(as_coo(first)), compress(as_coo(second), CSR)
    starts, columns = b.places
    counts = (starts[1:] - starts[:-1])[a.places[1]]
    left = torch.repeat_interleave(torch.arange(a._nnz()), counts)
    before = torch.repeat_interleave(counts.cumsum(0) - counts, counts)
    right = starts[a.places[1]][left] + torch.arange(left.shape[0]) - before
    places = torch.stack([a.places[0][left], columns[right]])
    size = Size((first.shape[0], second.shape[1]))
    return coalesce(SparseTensor(COO, places, a.held[left] * b.held[right], size))


def _of_one_dtype(self, mat2):
    """The factors of a product, of which a sparse one without values takes the other's dtype."""
    if self.dtype == mat2.dtype:
        return self, mat2
    both = is_sparse(self) and is_sparse(mat2)
    first, second = (self, mat2) if is_sparse(self) else (mat2, self)
    names = [_dtype_class(tensor) for tensor in (first, second)]
    if both:
        raise RuntimeError(f"mat1 dtype {names[0]} does not match mat2 dtype {names[1]}")
    if first._nnz() != 0:
        raise RuntimeError(f"expected scalar type {names[0]} but found {names[1]}")
    first = _to(first, second.dtype)
    return (first, mat2) if is_sparse(self) else (self, first)


@_rule("mm", "_sparse_mm")
def mm(self, mat2):
    """The product of two matrices; dense where one of them is."""
    for tensor in (self, mat2):
        if tensor.dim() < 2:
            raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    if self.dim() != 2:
        raise RuntimeError(f"addmm: self must be a matrix, got {self.dim()}-D tensor")
    if mat2.dim() != 2:
        raise RuntimeError(f"addmm: mat2 must be a matrix, got {mat2.dim()}-D tensor")
    if self.shape[1] != mat2.shape[0]:
        if self.layout == COO and not is_sparse(mat2):
            raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {self.shape[1]}, got {mat2.shape[0]}")
        if not is_sparse(self) and mat2.layout == COO:
            raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {mat2.shape[0]}, got {self.shape[1]}")
        both_coo = self.layout == COO and mat2.layout == COO
        raise RuntimeError(
            f"{'_sparse_sparse_matmul' if both_coo else 'addmm'}: mat1 and mat2 shapes cannot be multiplied ({self.shape[0]}x{self.shape[1]} and {mat2.shape[0]}x{mat2.shape[1]})"
        )
    self, mat2 = _of_one_dtype(self, mat2)
    if is_sparse(self) and is_sparse(mat2):
        return as_layout(_times_sparse(self, mat2), self)
    if is_sparse(self):
        return _times_dense(self, mat2)
    return _times_dense(transpose(mat2, 0, 1), self.t()).t()


def mm_reduced(self, mat2, reduce):
    """The product of a matrix in CSR and a dense one, where the products for an element are not summed."""
    if reduce not in ("mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, mean, amax or amin, got {reduce}")
    rows, columns = as_coo(self).places
    products = as_coo(self).held.unsqueeze(1) * mat2[columns]
    out = products.new_zeros((self.shape[0], mat2.shape[1]))
    return out.index_reduce(0, rows, products, reduce, include_self=False)


@_rule("mv")
def _mv(self, vec):
    if self.layout == COO and (self.dim(), vec.dim()) != (2, 1):
        raise RuntimeError(f"mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: {self.dim()}Tensor Dim: {vec.dim()}")
    if is_sparse(self) and self.shape[1] != vec.shape[0]:
        if self.layout == COO:
            raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
        raise RuntimeError(
            f"size mismatch, got input ({self.shape[0]}), mat ({self.shape[0]}x{self.shape[1]}), vec ({vec.shape[0]})"
        )
    return mm(self, vec.unsqueeze(1)).squeeze(1)


@_rule("matmul", "__matmul__")
def _matmul(self, other):
    if is_sparse(self) and other.dim() == 1 and not is_sparse(other):
        return _mv(self, other)
    if is_sparse(self) and self.dim() == 3 and other.dim() in (2, 3):
        if other.dim() == 3:
            _expand(self)
        if self.layout == COO:
            _reshape(self)
        raise RuntimeError(f"Sparse {self._layout_name()[-3:].upper()} tensors do not have strides")
    if is_sparse(other) and not is_sparse(self) and self.dim() > 2:
        return mm(self.flatten(0, -2), other).unflatten(0, self.shape[:-1])
    return mm(self, other)


@_rule("bmm")
def _bmm(self, mat2):
    for tensor in (self, mat2):
        if is_sparse(tensor) and tensor.layout != COO:
            _refuse("bmm", tensor)
    if is_sparse(mat2):
        raise RuntimeError("bmm_sparse: Tensor 'mat2' must be dense")
    if self.sparse_dim() != 3:
        raise RuntimeError(f"bmm_sparse: Tensor 'self' must have 3 sparse dims, but has {self.sparse_dim()}")
    if self.shape[0] != mat2.shape[0]:
        raise RuntimeError("bmm_sparse: 'self.size(0)' and 'mat2.size(0)' must match")
    if self.shape[2] != mat2.shape[1]:
        raise RuntimeError("bmm_sparse: 'self.size(2)' and 'mat2.size(1)' must match")
    return torch.stack([mm(self.select(0, i), mat2.select(0, i)) for i in range(self.shape[0])])


@_rule("linear")
def _linear(input, weight, bias=None):
    if is_sparse(weight) and weight.is_own_leaf and weight.requires_grad and not is_sparse(input):
        # The other way round, so that the leaf itself takes part.
        out = torch.mm(weight, input.flatten(0, -2).t()).t().unflatten(0, input.shape[:-1]) if input.dim() > 1 else torch.mv(weight, input)
    else:
        out = _matmul(input, transpose(weight, 0, 1) if is_sparse(weight) else weight.t())
    return out if bias is None else out + bias


def addmm(self, mat1, mat2, *, beta=1, alpha=1):
    """``beta * self + alpha * mat1 @ mat2``."""
    product = mm(mat1, mat2) if is_sparse(mat1) or is_sparse(mat2) else torch.mm(mat1, mat2)
    if is_sparse(self):
        if self.layout == COO:
            _expand(self)
        if not is_sparse(product):
            raise RuntimeError("addmm: sparse sums of dense products are not supported")
        return add(mul(self, beta), product, alpha=alpha)
    scaled = self.expand(product.shape) * beta
    return add(scaled, product, alpha=alpha) if is_sparse(product) else scaled + product * alpha


_rule("addmm", "_sparse_addmm")(addmm)
_rule("addmm_")(lambda self, mat1, mat2, *, beta=1, alpha=1: self.copy_(addmm(self, mat1, mat2, beta=beta, alpha=alpha)))


def _rows_times(name, sparse, dense):
    """The product of a sparse and a dense matrix as rows that are there, with their numbers."""
    if sparse.shape[1] != dense.shape[0]:
        raise RuntimeError(f"{name}: Argument #3: Expected dim 0 size {sparse.shape[1]}, got {dense.shape[0]}")
    rows = as_coo(sparse).places[0].unique()
    return rows, mm(sparse, dense)[rows]


@_rule("hspmm")
def _hspmm(mat1, mat2):
    """The product of a sparse and a dense matrix, as sparse rows."""
    rows, held = _rows_times("hspmm", mat1, mat2)
    return SparseTensor(COO, rows.unsqueeze(0), held, Size((mat1.shape[0], mat2.shape[1])), True)


@_rule("smm")
def _smm(input, mat):
    """The product of a sparse and a dense matrix, sparse."""
    rows, held = _rows_times("sspaddmm", input, mat)
    count = mat.shape[1]
    places = torch.stack([rows.repeat_interleave(count), torch.arange(count).repeat(rows.shape[0])])
    return SparseTensor(COO, places, held.reshape(-1), Size((input.shape[0], count)))


@_rule("sspaddmm")
def _sspaddmm(self, mat1, mat2, *, beta=1, alpha=1):
    """``beta * self + alpha * mat1 @ mat2``, sparse: the elements of both, side by side."""
    for name, tensor in (("mat1", mat1), ("self", self)):
        if not is_sparse(tensor):
            raise RuntimeError(f"sspaddmm: expected '{name}' to have sparse layout, got '{name}' with layout Strided")
    product = _smm(mat1, mat2)
    held = torch.cat([self.held * beta, product.held * alpha])
    return self.like(held, torch.cat([self.places, product.places], 1), coalesced=False)


# Functions of ``torch`` by their older names.
def _for_sparse(name, rule):
    """A function whose first matrix has to be sparse."""

    def function(*args, **kwargs):
        if not any(is_sparse(a) for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)):
            if name == "hspmm":
                raise NotImplementedError(
                    "Could not run 'aten::hspmm' with arguments from the 'CPU' backend. This could be because the operator doesn't exist "
                    "for this backend, or was omitted during the selective/custom build process (if using custom build)."
                )
            raise RuntimeError("tensor.sspaddmm(...) can only be called on sparse tensors")
        return rule(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = rule.__doc__
    return function


def spmm(input, mat2):
    """The product of two matrices, of which one may be sparse."""
    return mm(input, mat2) if is_sparse(input) or is_sparse(mat2) else torch.mm(input, mat2)


PRODUCTS = {
    "hspmm": _for_sparse("hspmm", _hspmm), "hsmm": _for_sparse("hspmm", _hspmm), "smm": _for_sparse("smm", _smm), "spmm": spmm, "dsmm": spmm,
    "sspaddmm": _for_sparse("sspaddmm", _sspaddmm), "saddmm": _for_sparse("saddmm", _sspaddmm),
}  # fmt: skip
