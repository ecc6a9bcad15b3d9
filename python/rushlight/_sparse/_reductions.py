"""Rules for what is left of all elements, for masks, and for other sizes in place."""

import rushlight as torch

from .._names import Size
from ._core import (
    _batched, _become, _clone, _kind, _refuse, _rule, _summed, _to, as_coo, as_layout, coalesce, flat_places, is_sparse, to_dense,
)
from ._makers import join_batch, split_batch
from ._shapes import _dims
from ._tensor import BLOCKS, COO, CSC, CSR, SparseTensor


# What is left of all elements.
@_rule("sum", "_sparse_sum")
def sum_of(self, dim=None, keepdim=False, *, dtype=None):
    """The sum of all elements, or over some dimensions: then it is sparse where dimensions of places are left."""
    held = self.held if dtype is None else self.held.to(dtype)
    if dim is None:
        return held.sum()
    listed = [dim] if isinstance(dim, int) else list(dim)
    for place in listed:
        if listed.count(place) > 1:
            raise RuntimeError(f"dim {place} appears multiple times in the list of dims")
    if not listed and self.layout == COO:
        return coalesce(self)
    if self.layout in (CSC, *BLOCKS):
        raise RuntimeError(
            f"Currently the only compressed sparse format supported for sum.dim_IntList is CSR, but got layout {self._layout_name()}"
        )
    if self.layout == CSR and not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    coo = as_coo(self)
    held = coo.held if dtype is None else coo.held.to(dtype)
    dims = sorted(_dims(coo, (dim,) if isinstance(dim, int) else dim))
    count = coo.sparse_dim()
    dense = [place - count + 1 for place in dims if place >= count]
    if dense:
        held = held.sum(dense, keepdim)
    gone = [place for place in dims if place < count]
    size = [1 if place in dims else n for place, n in enumerate(coo.shape) if keepdim or place not in dims]
    if len(gone) == count and not keepdim:
        return held.sum(0)
    places = coo.places.clone()
    if keepdim:
        places[gone] = 0
    else:
        places = places[[place for place in range(count) if place not in gone]]
    summed = coalesce(SparseTensor(COO, places, held, Size(size), coo.coalesced and not gone))
    return as_layout(summed, self) if keepdim and self.layout != COO else summed


@_rule("any")
def _any(self, *dims, **further):
    if dims or further or self.layout != COO:
        _refuse("any", self, (self, *dims, *further.values()))
    return (coalesce(as_coo(self)).held != 0).any()


@_rule("norm", "linalg_vector_norm", "native_norm")
def _norm(self, p=2, dim=None, keepdim=False, dtype=None):
    if self.layout != COO:
        _refuse("norm", self)
    dims = [dim] if isinstance(dim, int) else list(dim or ())
    if dims and len(dims) < self.dim():
        raise RuntimeError(
            "norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain all dimensions of the input"
        )
    return torch.linalg.vector_norm(coalesce(as_coo(self)).held, 2 if p in (None, "fro") else p)


_rule("frobenius_norm")(lambda self, dim=None, keepdim=False: _norm(self))


def _groups(coo, dim):
    """Which elements stand in one row along a dimension: a number for each, and how many there are."""
    sizes = [n for place, n in enumerate(coo.shape[: coo.sparse_dim()]) if place != dim]
    rows = [row for place, row in enumerate(coo.places) if place != dim]
    return flat_places(torch.stack(rows) if rows else coo.places[:0], sizes), Size(sizes).numel()


@_rule("_sparse_softmax")
def softmax(self, dim, dtype=None, *, log=False):
    """The softmax along a dimension, in which elements that are not there count for nothing."""
    if self.layout != COO:
        _refuse("_sparse_log_softmax" if log else "_sparse_softmax", self)
    coo = coalesce(as_coo(self))
    held = coo.held if not isinstance(dtype, torch.dtype) else coo.held.to(dtype)
    (dim,) = _dims(coo, (dim,))
    if dim >= coo.sparse_dim():
        over = torch.log_softmax if log else torch.softmax
        return coo.like(over(held, dim - coo.sparse_dim() + 1))
    groups, count = _groups(coo, dim)
    shape = [-1] + [1] * (held.dim() - 1)
    spread = groups.reshape(shape).expand(held.shape)
    largest = held.detach().new_full((count, *held.shape[1:]), float("-inf")).scatter_reduce(0, spread, held.detach(), "amax")
    shifted = held - largest[groups]
    powers = shifted.exp()
    totals = _summed(powers, groups, count)[groups]
    result = coo.like(shifted - totals.log() if log else powers / totals)
    return as_layout(result, self)


@_rule("_sparse_log_softmax")
def log_softmax(self, dim, dtype=None):
    """The logarithm of :func:`softmax`."""
    return softmax(self, dim, dtype, log=True)


@_rule("sparse_mask")
def sparse_mask(self, mask):
    """The elements at the places of a sparse tensor."""
    if not is_sparse(mask):
        raise NotImplementedError(
            f"Could not run 'aten::{'_nnz' if is_sparse(self) else 'sparse_mask'}' with arguments from the 'CPU' backend. This could be "
            "because the operator doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom "
            "build)."
        )
    if is_sparse(self):
        self = to_dense(self)
    if self.shape != mask.shape:
        raise RuntimeError(f"sparse_mask(): operands have incompatible sizes; self has size {list(self.shape)} but mask has size {list(mask.shape)}")
    coo = as_coo(mask)
    held = self[tuple(coo.places)]
    if mask.layout == COO:
        return coo.like(held)
    # The order of places is that of the values.
    return mask.like(held.reshape(mask.held.shape))


@_rule("sparse_sampled_addmm")
def sampled_addmm(self, mat1, mat2, *, beta=1.0, alpha=1.0):
    """``alpha * mat1 @ mat2`` at the places of a sparse matrix, plus ``beta`` times that matrix."""
    if self.layout != CSR:
        _refuse("sparse_sampled_addmm", self)
    if mat1.shape[-1] != mat2.shape[-2]:
        shapes = [f"{mat.shape[-2]}x{mat.shape[-1]}" for mat in (mat1, mat2)]
        raise RuntimeError(f"sampled_addmm: mat1 and mat2 shapes cannot be multiplied ({shapes[0]} and {shapes[1]})")
    if _batched(self):
        parts = zip(split_batch(self), mat1.flatten(0, -3), mat2.flatten(0, -3))
        made = [sampled_addmm(part, first, second, beta=beta, alpha=alpha) for part, first, second in parts]
        return join_batch(made, self.shape[: self.batch_dim()])
    rows, columns = as_coo(self).places
    products = (mat1[rows] * mat2.t()[columns]).sum(-1)
    return self.like(self.held * beta + products * alpha)


_ADVICE = """You could try the following options:
1. If you need an empty sparse tensor of this size, call `x = torch.sparse_coo_tensor(size)`.
2. If you need to resize this tensor, you have the following options:
    1. For both sparse and dense dimensions, keep the number of them constant and the size of them non-shrinking, and then try the same call again.
    2. Or, create a new sparse tensor with the correct indices and values from this sparse tensor."""


@_rule("sparse_resize_")
def _sparse_resize_(self, size, sparse_dim, dense_dim):
    """The tensor itself with other sizes; one that has elements only grows."""
    if self.layout != COO:
        _refuse("sparse_resize_", self)
    size = Size(size)
    if sparse_dim + dense_dim != len(size):
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = {sparse_dim}, dense_dim = "
            f"{dense_dim}"
        )
    if self._nnz() == 0:
        return _become(self, _no_elements(self, size, sparse_dim))
    for kind, had, wanted in (("sparse", self.sparse_dim(), sparse_dim), ("dense", self.dense_dim(), dense_dim)):
        if had != wanted:
            raise RuntimeError(
                f"changing the number of {kind} dimensions (from {had} to {wanted}) on a non-empty sparse tensor is not supported.\n{_ADVICE}"
            )
    for kind, part in (("sparse", slice(0, sparse_dim)), ("dense", slice(sparse_dim, None))):
        if any(n < had for n, had in zip(size[part], self.shape[part])):
            raise RuntimeError(
                f"shrinking the size of {kind} dimensions (from {list(self.shape[part])} to {list(size[part])}) on a non-empty sparse tensor "
                f"is not supported.\n{_ADVICE}"
            )
    held = self.held
    if held.shape[1:] != size[sparse_dim:]:
        held = held.new_zeros((held.shape[0], *size[sparse_dim:]))
        held[tuple(slice(n) for n in self.held.shape)] = self.held
    return _become(self, self.like(held, size=size))


def _no_elements(self, size, sparse_dim):
    places = torch.empty((sparse_dim, 0), dtype=torch.int64)
    return SparseTensor(COO, places, torch.empty((0, *size[sparse_dim:]), dtype=self.dtype), Size(size), True)


@_rule("sparse_resize_and_clear_")
def _sparse_resize_and_clear_(self, size, sparse_dim, dense_dim):
    return _become(self, _no_elements(self, size, sparse_dim))


@_rule("copy_", "copy_sparse_to_sparse_")
def _copy_(self, src, non_blocking=False):
    if not (is_sparse(self) and is_sparse(src)):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented! Found self type = "
                           f"{_kind(self)} and src type = {_kind(src)}")
    if self.layout == COO and self.shape != src.shape:
        _sparse_resize_(self, src.shape, src.sparse_dim(), src.dense_dim())
    return _become(self, _to(_clone(src), self.dtype))


@_rule("resize_as_sparse_", "resize_as_")
def _resize_as(self, the_template, *, memory_format=None):
    if self.shape == the_template.shape or not is_sparse(the_template):
        return self
    return _sparse_resize_(self, the_template.shape, the_template.sparse_dim(), the_template.dense_dim())


_rule("detach_")(lambda self: _become(self, self.like(self.held.detach())))
