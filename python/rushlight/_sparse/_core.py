"""What rules for sparse tensors stand on: where they are found, conversions between layouts, copies."""

import rushlight as torch

from .._names import Size
from ._makers import compress, each_matrix, expand, no_places
from ._refusals import refuse
from ._tensor import BLOCKS, BSC, BSR, COO, CSC, CSR, SparseTensor

Tensor = torch.Tensor
_RULES = {}


def _rule(*names):
    def add(function):
        for name in names:
            _RULES["aten::" + name] = function
        return function

    return add


def _refuse(operator, tensor, args=()):
    refuse("aten::" + operator, tensor.layout, args)


def check_not_tracing():
    """Refuses to be recorded: a trace would have the places of now."""
    if torch.jit.is_tracing():
        raise RuntimeError("sparse tensors are not part of traces: to_dense() makes a dense one")


def call(operator, args, kwargs):
    """Calls an operator of whose arguments one is sparse."""
    check_not_tracing()
    rule = _RULES.get(operator)
    if rule is None:
        found = [arg for arg in (*args, *kwargs.values()) if type(arg) is SparseTensor]
        found += [item for arg in args if isinstance(arg, (tuple, list)) for item in arg if type(item) is SparseTensor]
        refuse(operator, found[0].layout, (*args, *kwargs.values()))
    return rule(*args, **kwargs)


def is_sparse(obj):
    """Whether an object is a sparse tensor."""
    return type(obj) is SparseTensor


def as_coo(tensor):
    """A tensor in COO."""
    return tensor if tensor.layout == COO else expand(tensor)


def _batched(tensor):
    """Whether a tensor is a batch of compressed matrices."""
    return tensor.layout != COO and tensor.batch_dim() > 0


def as_layout(tensor, other):
    """A COO tensor in the layout of another tensor."""
    return tensor if other.layout == COO else compress(tensor, other.layout, other.blocksize())


def flat_places(places, sizes):
    """The places as numbers that count the elements row by row."""
    flat = torch.zeros(places.shape[1], dtype=torch.int64)
    for row, size in zip(places, sizes):
        flat = flat * size + row
    return flat


def _unflat(flat, sizes):
    rows = []
    for size in reversed(sizes):
        rows.append(flat % size if size else flat)
        flat = flat // size if size else flat
    return torch.stack(rows[::-1]) if rows else torch.empty((0, flat.shape[0]), dtype=torch.int64)


def _summed(held, groups, count):
    """The sums of values by group."""
    zeros = held.new_zeros((count, *held.shape[1:]))
    if held.dtype is torch.bool:
        return zeros.to(torch.int64).index_add(0, groups, held.to(torch.int64)) != 0
    return zeros.index_add(0, groups, held)


@_rule("coalesce")
def coalesce(self):
    """Every place once, in order."""
    if self.layout != COO:
        raise RuntimeError(f"coalesce expected sparse coordinate tensor layout but got {self._layout_name()}")
    if self.coalesced:
        return self
    sizes = self.shape[: self.sparse_dim()]
    if self._nnz() < 2:
        return self.like(self.held, coalesced=True)
    flat, groups = torch.unique(flat_places(self.places, sizes), return_inverse=True)
    held = _summed(self.held, groups, flat.shape[0])
    return self.like(held, _unflat(flat, sizes), coalesced=True)


@_rule("to_dense", "_to_dense")
def to_dense(self, dtype=None, *, masked_grad=None):
    """All elements."""
    if dtype is not None:
        name = "" if self.layout == COO else self._layout_name()[-3:].lower() + "_"
        raise RuntimeError(f"dtype argument is not supported by sparse_{name}to_dense")
    coo = as_coo(self)
    sizes = coo.shape[: coo.sparse_dim()]
    held = coo.held
    return _summed(held, flat_places(coo.places, sizes), Size(sizes).numel()).reshape(coo.shape)


@_rule("to_sparse", "_to_sparse", "to_sparse_coo")
def to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
    """Another sparse layout."""
    if sparse_dim is not None and sparse_dim != self.sparse_dim():
        if self.layout == COO:
            raise RuntimeError("to_sparse: conversion from Sparse to Sparse with sparse_dim argument !=self.sparse_dim() is not supported")
        raise RuntimeError(
            f"sparse_compressed_to_sparse: conversion from {self._layout_name()} to Sparse with sparse_dim argument !=2 is not supported"
        )
    layout = layout or COO
    if self.layout in BLOCKS:
        _check_blocks(self, layout, blocksize)
    if layout == self.layout:
        return self
    if _batched(self) and layout != COO:
        if layout in BLOCKS:
            name, kind = ("bsr", "SparseBsr") if layout == BSR else ("bsc", "SparseBsc")
            raise RuntimeError(
                f"sparse_compressed_to_sparse_{name}: conversion from {self._layout_name()} to {kind} for batched inputs is not supported"
            )
        return each_matrix(self, self.dense_dim(), lambda matrix: to_sparse(matrix, layout=layout))
    return as_coo(self) if layout == COO else compress(as_coo(self), layout, blocksize)


def _check_blocks(self, layout, blocksize):
    """Refuses to cut blocks, as the reference does: only `to_dense` and COO take them apart."""
    if layout in (CSR, CSC):
        name = "sparse_compressed_to_sparse_" + ("csr" if layout == CSR else "csc")
        raise RuntimeError(f"{name}: expected SparseCsr or SparseCsc layout but got {self._layout_name()}")
    block = list(self.blocksize())
    wanted = [blocksize] * 2 if isinstance(blocksize, int) else None if blocksize is None else list(blocksize)
    if layout in BLOCKS and wanted is not None and wanted != block:
        name, kind = ("to_sparse_bsr", "SparseBsr") if layout == BSR else ("to_sparse_bsc", "SparseBsc")
        name = name if layout == self.layout else "sparse_compressed_" + name
        raise RuntimeError(
            f"{name}: conversion from {self._layout_name()} to {kind} with blocksize changed from {block} to {wanted} is not supported"
        )


@_rule("to_sparse_bsr", "_to_sparse_bsr")
def _to_sparse_bsr(self, blocksize, dense_dim=None):
    return to_sparse(self, layout=BSR, blocksize=blocksize)


@_rule("to_sparse_bsc", "_to_sparse_bsc")
def _to_sparse_bsc(self, blocksize, dense_dim=None):
    return to_sparse(self, layout=BSC, blocksize=blocksize)


_rule("to_sparse_csr", "_to_sparse_csr")(lambda self, dense_dim=None: to_sparse(self, layout=CSR))
_rule("to_sparse_csc", "_to_sparse_csc")(lambda self, dense_dim=None: to_sparse(self, layout=CSC))
_rule("sparse_dim")(lambda self: self.sparse_dim())
_rule("dense_dim")(lambda self: self.dense_dim())
_rule("_nnz")(lambda self: self._nnz())
_rule("is_coalesced")(lambda self: self.is_coalesced())
_rule("indices")(lambda self: self.indices())
_rule("values")(lambda self: self.values())


# Copies, kinds of numbers, places in memory.
@_rule("clone", "lift_fresh_copy")
def _clone(self, *, memory_format=None):
    places = self.places.clone() if self.layout == COO else tuple(part.clone() for part in self.places)
    return self.like(self.held.clone(), places)


_rule("detach", "alias", "lift_fresh", "resolve_conj", "resolve_neg", "positive")(lambda self: self.like(self.held.detach()))
_rule("cpu", "pin_memory")(lambda self, *args, **kwargs: self)
_rule("requires_grad_")(lambda self, requires_grad=True: self.requires_grad_(requires_grad))
_rule("is_same_size")(lambda self, other: self.shape == other.shape)
_rule("numel")(lambda self: self.shape.numel())
_rule("dim")(lambda self: len(self.shape))
_rule("size")(lambda self, dim=None: self.shape if dim is None else self.shape[dim])
_rule("is_floating_point")(lambda self: self.dtype.is_floating_point)
_rule("is_complex")(lambda self: self.dtype.is_complex)
_rule("is_signed")(lambda self: self.held.is_signed())
_rule("get_device")(lambda self: self.held.get_device())
_rule("is_conj", "is_neg", "is_inference", "is_pinned", "is_distributed")(lambda self, *args: False)


@_rule("is_contiguous")
def _is_contiguous(self, *, memory_format=None):
    return False if self.layout == COO else _refuse("is_contiguous", self)


_rule("storage_offset")(lambda self: 0)
_rule("requires_grad")(lambda self: self.requires_grad)


@_rule("to", "_to_copy", "type_as")
def _to(self, *args, **kwargs):
    args = [arg.dtype if isinstance(arg, Tensor) else arg for arg in args]
    held = self.held.to(*args, **kwargs)
    return self if held is self.held else self.like(held)


@_rule("zeros_like", "empty_like")
def _zeros_like(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    if layout not in (None, self.layout):
        return torch.zeros(self.shape, dtype=dtype or self.dtype)
    return _empty(self, self.shape, dtype)


@_rule("ones_like")
def _ones_like(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    if self.layout == COO:
        _refuse("fill_.Scalar", self)
    if layout not in (None, self.layout):
        return torch.ones(self.shape, dtype=dtype or self.dtype)
    # Compressed tensors keep their places.
    return self.like(torch.ones_like(self.held, dtype=dtype))


def _empty(self, size, dtype=None):
    count = self.sparse_dim() if len(size) == self.dim() else len(size)
    if self.layout != COO:
        return no_places(self.layout, Size(size), self.held.detach().to(dtype or self.dtype), self.dense_dim(), self.blocksize() or ())
    places = torch.empty((count, 0), dtype=torch.int64)
    return SparseTensor(COO, places, torch.empty((0, *size[count:]), dtype=dtype or self.dtype), Size(size), True)


_rule("new_zeros", "new_empty")(lambda self, *size, dtype=None, **options: _empty(self, size if len(size) != 1 or isinstance(size[0], int) else size[0], dtype))


def _become(self, other):
    """Makes a tensor another one: what is written in place."""
    if self.requires_grad and self.is_leaf and torch.is_grad_enabled():
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if self.is_own_leaf and self.requires_grad:
        # The leaf stays the tensor whose gradient is added up.
        if other._nnz() == self._nnz():
            self.places, self.coalesced = other.places, other.coalesced
            self.held.copy_(other.held)
            return self
    if self.shape != other.shape:
        # The sizes are those of a tensor without memory.
        Tensor.data.__set__(self, torch.empty(other.shape, dtype=self.dtype, device="meta"))
    self.places, self.held, self.coalesced = other.places, other.held, other.coalesced
    self.is_own_leaf = not self.held.requires_grad
    return self


def _kind(tensor):
    return ("torch.sparse." if is_sparse(tensor) else "torch.") + torch.empty(0, dtype=tensor.dtype).type().removeprefix("torch.")


@_rule("zero_")
def _zero_(self):
    return _become(self, _empty(self, self.shape))
