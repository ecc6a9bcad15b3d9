"""What operators do with sparse tensors: each of dense operators on places and values, so that gradients are theirs."""

import rushlight as torch

from .. import _rushlight
from .._names import Size
from ._makers import compress, each_matrix, expand, join_batch, no_places, of_dense, split_batch
from ._refusals import refuse
from ._tensor import BLOCKS, BSC, BSR, COO, CSC, CSR, SparseTensor, recorded

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


@_rule("copy_", "copy_sparse_to_sparse_")
def _copy_(self, src, non_blocking=False):
    if not (is_sparse(self) and is_sparse(src)):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented! Found self type = "
                           f"{_kind(self)} and src type = {_kind(src)}")
    if self.layout == COO and self.shape != src.shape:
        _sparse_resize_(self, src.shape, src.sparse_dim(), src.dense_dim())
    return _become(self, _to(_clone(src), self.dtype))


def _kind(tensor):
    return ("torch.sparse." if is_sparse(tensor) else "torch.") + torch.empty(0, dtype=tensor.dtype).type().removeprefix("torch.")


@_rule("zero_")
def _zero_(self):
    return _become(self, _empty(self, self.shape))


# Functions that keep zeros: of the values of a tensor whose places are there once.
_KEEPING = (
    "abs", "absolute", "asin", "asinh", "arcsin", "arcsinh", "atan", "arctan", "atanh", "arctanh", "ceil", "conj_physical", "deg2rad", "erf", "erfinv",
    "expm1", "fix", "floor", "frac", "isinf", "isnan", "isneginf", "isposinf", "log1p", "nan_to_num", "rad2deg", "relu", "round", "sgn", "sign",
    "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc", "pow", "float_power", "leaky_relu",
)
# Of these compressed layouts have fewer, and some have no form that writes in place.
_COO_ONLY = ("pow", "square", "float_power", "nan_to_num")
_NOT_IN_PLACE = ("pow", "square")
# Of these, sums of values are values of sums.
_LINEAR = ("neg", "negative", "deg2rad", "rad2deg", "real", "imag", "conj", "_conj", "mH")


def _dense(name):
    return getattr(torch, name, None) or getattr(Tensor, name)


def _keeping(name, is_linear):
    def function(self, *args, **kwargs):
        if not is_sparse(self) or any(is_sparse(arg) for arg in args):
            _refuse(name, next(arg for arg in (self, *args) if is_sparse(arg)))
        if self.layout != COO and name in _COO_ONLY:
            _refuse(name, self, (self, *args))
        if name == "pow" and not args[0]:
            raise RuntimeError("pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor dense")
        plain = self if is_linear or self.layout != COO else coalesce(self)
        return plain.like(_dense(name)(plain.held, *args, **kwargs))

    function.__name__ = name
    return function


def _keeping_in_place(name, rule):
    def function(self, *args, **kwargs):
        if name in _NOT_IN_PLACE or self.layout != COO and name in _COO_ONLY:
            _refuse("pow_.Scalar" if self.layout == COO else name + "_", self)
        if self.layout == COO and not self.coalesced and name not in _LINEAR:
            raise RuntimeError(f"{name}_ requires coalesced input")
        return _become(self, rule(self, *args, **kwargs))

    return function


@_rule("angle")
def _angle(self):
    return self.like(torch.angle(self.held)) if self.layout != COO else _refuse("angle", self)


@_rule("fill_")
def _fill_(self, value):
    return _become(self, self.like(torch.full_like(self.held, value))) if self.layout != COO else _refuse("fill_", self, (self, value))


for _name in (*_KEEPING, *_LINEAR):
    _made = _RULES["aten::" + _name] = _keeping(_name, _name in _LINEAR)
    _RULES[f"aten::{_name}_"] = _keeping_in_place(_name, _made)


# Sums and products.
def _both(a, b):
    """Two sparse tensors in the layout of the first, as COO, with sizes alike."""
    if a.shape != b.shape:
        raise RuntimeError(
            f"add: expected sizes of 'self' and 'other' to match, but {list(a.shape)} != {list(b.shape)}"
        )
    return as_coo(a), as_coo(b)


@_rule("add")
def add(self, other, *, alpha=1):
    """The sum; of a dense and a sparse tensor it is dense."""
    if not (is_sparse(self) and is_sparse(other)):
        found = self if is_sparse(self) else other
        if found.layout != COO:
            # A dense operand may stand on either side.
            dense, added = (self, to_dense(other)) if found is other else (other, to_dense(self))
        elif found is self:
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        else:
            dense, added = self, to_dense(other)
        shape = tuple(dense.shape) if isinstance(dense, Tensor) else ()
        if shape != found.shape:
            kind = "dense" if found.layout == COO else "op2"
            raise RuntimeError(
                f"add: expected 'self' and 'other' to have same size, but self has size {list(shape)} while other has size "
                f"{list(found.shape)} (FYI: {kind}-sparse addition does not currently support broadcasting)"
            )
        return dense + alpha * added if found is other else added + alpha * dense
    if _batched(self) and _batched(other) and self.shape == other.shape:
        parts = [add(a, b, alpha=alpha) for a, b in zip(split_batch(self), split_batch(other))]
        return join_batch(parts, self.shape[: self.batch_dim()])
    a, b = _both(self, other)
    dtype = torch.promote_types(a.dtype, b.dtype)
    if alpha != 1:
        b = b.like(b.held * alpha)
    first, second = a.held.to(dtype), b.held.to(dtype)
    if a.coalesced and b.coalesced:
        total = coalesce(a.like(torch.cat([first, second]), torch.cat([a.places, b.places], 1), coalesced=False))
    elif not (first.is_contiguous() and second.is_contiguous()):
        total = a.like(torch.cat([first, second]), torch.cat([a.places, b.places], 1), coalesced=False)
    elif torch.equal(a.places, b.places):
        total = a.like(first + second, coalesced=False)
    else:
        total = _merged(a, b, first, second)
    total.made_by = "AddBackward0"
    return as_layout(total._coalesced_(a.coalesced and b.coalesced), self)


def _merged(a, b, first, second):
    """The sum of tensors whose places are in no order: these are gone through side by side, and what meets is added."""
    sizes = a.shape[: len(a.places)]
    mine, theirs = flat_places(a.places, sizes).tolist(), flat_places(b.places, sizes).tolist()
    take, meets, i, j = [], ([], []), 0, 0
    while i < len(mine) or j < len(theirs):
        is_mine = j == len(theirs) or i < len(mine) and mine[i] <= theirs[j]
        if is_mine and j < len(theirs) and i < len(mine) and mine[i] == theirs[j]:
            meets[0].append(len(take))
            meets[1].append(j)
            j += 1
        take.append(i if is_mine else len(mine) + j)
        i, j = (i + 1, j) if is_mine else (i, j + 1)
    taken = torch.tensor(take, dtype=torch.int64)
    held, places = torch.cat([first, second])[taken], torch.cat([a.places, b.places], 1)[:, taken]
    if meets[0]:
        at = torch.tensor(meets[0])
        held = held.index_copy(0, at, held[at] + second[torch.tensor(meets[1])])
    return a.like(held, places, coalesced=False)


def _negative(tensor):
    return tensor.like(-tensor.held) if is_sparse(tensor) else -tensor


@_rule("sub", "subtract")
def _sub(self, other, *, alpha=1):
    for tensor in (self, other):
        if is_sparse(tensor) and tensor.layout != COO:
            _refuse("sub", tensor)
    return add(self, other, alpha=-alpha)


_rule("rsub")(lambda self, other, alpha=1: add(_negative(self), other))


def _factor(other):
    """A number or a dense tensor without dimensions; None for anything else."""
    if isinstance(other, Tensor):
        return other if not is_sparse(other) and other.dim() == 0 else None
    return other


@_rule("mul", "multiply")
def mul(self, other):
    """The product, element by element: places that both have."""
    if not is_sparse(self):
        self, other = other, self
    factor = _factor(other)
    if factor is not None:
        return self.like(self.held * factor)
    if not is_sparse(other):
        # Places that are there twice stay so.
        a = as_coo(self)
        # What this raises is the refusal.
        shape = (torch.empty(other.shape, device="meta") * torch.empty(self.shape, device="meta")).shape
        if shape != self.shape:
            return mul(of_dense(to_dense(self).expand(shape)), other)
        held = a.held * other.expand(self.shape)[tuple(a.places)]
        return as_layout(a.like(held), self)
    if self.shape != other.shape:
        raise RuntimeError(
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse dimensions, and shape "
            "of sparse dimensions"
        )
    a = coalesce(as_coo(self))
    b = coalesce(as_coo(other))
    sizes = a.shape[: a.sparse_dim()]
    first, second = flat_places(a.places, sizes), flat_places(b.places, sizes)
    kept, theirs = torch.isin(first, second), torch.isin(second, first)
    product = a.like(a.held[kept] * b.held[theirs], a.places[:, kept])
    return as_layout(product, self)


@_rule("div", "divide", "true_divide")
def _div(self, other, *, rounding_mode=None):
    factor = _factor(other)
    for tensor in (self, other):
        if is_sparse(tensor) and tensor.layout != COO:
            _refuse("div", tensor)
    if not is_sparse(self) or factor is None:
        raise RuntimeError(f"Sparse {'floor ' if rounding_mode else ''}division requires a scalar or zero-dim dense tensor divisor "
                           f"(got shape {list(other.shape)} for divisor)")
    plain = coalesce(self) if rounding_mode is not None and self.layout == COO else self
    return plain.like(torch.div(plain.held, factor, rounding_mode=rounding_mode))


@_rule("floor_divide")
def _floor_divide(self, other):
    if is_sparse(self) and self.layout != COO:
        _refuse("floor_divide", self)
    return _div(self, other, rounding_mode="floor")


def _in_place(rule):
    def function(self, *args, **kwargs):
        result = rule(self, *args, **kwargs)
        return _become(self, result) if is_sparse(self) else self.copy_(to_dense(result))

    return function


@_rule("add_")
def _add_(self, other, *, alpha=1):
    if is_sparse(self):
        return _become(self, add(self, other, alpha=alpha))
    coo = as_coo(other)
    if self.shape != other.shape:
        # What this raises is the refusal.
        add(self.detach(), other.detach(), alpha=alpha)
    if coo.sparse_dim() == 1:
        # Rows alone: what optimisers do with the gradients of tables.
        return self.index_add_(0, coo.places[0], coo.held.to(self.dtype), alpha=alpha)
    flat = flat_places(coo.places, coo.shape[: coo.sparse_dim()])
    added = self.flatten(0, coo.sparse_dim() - 1).index_add(0, flat, coo.held.to(self.dtype), alpha=alpha)
    return self.copy_(added.reshape(self.shape))


_rule("sub_", "subtract_")(lambda self, other, *, alpha=1: _add_(self, other, alpha=-alpha))
_rule("mul_", "multiply_")(_in_place(mul))
_rule("div_", "divide_", "true_divide_")(_in_place(_div))
_rule("floor_divide_")(_in_place(_floor_divide))


# Products of matrices.
def _times_dense(matrix, dense):
    """A sparse matrix times a dense one."""
    rows, columns = as_coo(matrix).places
    dtype = torch.promote_types(matrix.dtype, dense.dtype)
    if dtype is not matrix.dtype or dtype is not dense.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {_c_name(matrix)} != {_c_name(dense)}")
    held = as_coo(matrix).held.unsqueeze(1) * dense[columns]
    return _summed(held, rows, matrix.shape[0])


def _c_name(tensor):
    return {"torch.float32": "float", "torch.float64": "double"}.get(str(tensor.dtype), str(tensor.dtype).removeprefix("torch."))


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
PRODUCTS = {"hspmm": _hspmm, "smm": _smm, "spmm": mm, "dsmm": mm, "sspaddmm": _sspaddmm, "saddmm": addmm}


# Dimensions.
def _dims(self, dims):
    return [dim % self.dim() if -self.dim() <= dim < self.dim() else _bad_dim(self, dim) for dim in dims]


def _bad_dim(self, dim):
    raise IndexError(f"Dimension out of range (expected to be in range of [{-self.dim()}, {self.dim() - 1}], but got {dim})")


@_rule("permute")
def permute(self, *dims):
    """Dimensions in another order; those of places and those of values stay apart."""
    wanted = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    if self.layout != COO:
        _refuse("as_strided", self)
    if len(wanted) != self.dim():
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions "
            f"i.e. input.dim() = {self.dim()} is not equal to len(dims) = {len(wanted)}"
        )
    dims = _dims(self, wanted)
    if len(set(dims)) < len(dims):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    count = self.sparse_dim()
    if any(dim >= count for dim in dims[:count]):
        raise RuntimeError(
            "permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed.Only transpositions within sparse and "
            "dense dimensions are supported."
        )
    held = self.held.permute(0, *(dim - count + 1 for dim in dims[count:]))
    size = Size(self.shape[dim] for dim in dims)
    stays = dims[:count] == list(range(count))
    return self.like(held, self.places[dims[:count]], size, self.coalesced and stays)


@_rule("transpose", "swapaxes", "swapdims")
def transpose(self, dim0, dim1):
    """Two dimensions exchanged."""
    dims = list(range(self.dim()))
    first, second = _dims(self, (dim0, dim1))
    if self.layout != COO:
        return _transpose_compressed(self, *sorted((first, second)))
    if first != second and max(first, second) >= self.sparse_dim():
        raise RuntimeError(
            f"sparse transpose: transposed dimensions must be sparse Got sparse_dim: {self.sparse_dim()}, d0: {first}, d1: {second}"
        )
    dims[first], dims[second] = second, first
    return permute(self, dims)


def _transpose_compressed(self, first, second):
    batch = self.batch_dim()
    kinds = ["Batch" if dim < batch else "Sparse" if dim < batch + 2 else "Dense" for dim in (first, second)]
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            "transpose(): can only transpose dimensions of the same type (Batch, Sparse, Dense), got "
            f"{first}({kinds[0]}) and {second}({kinds[1]})"
        )
    size = list(self.shape)
    size[first], size[second] = size[second], size[first]
    places, held, layout = self.places, self.held, self.layout
    if first == second:
        return self
    if kinds[0] == "Batch":
        places, held = tuple(part.transpose(first, second) for part in places), held.transpose(first, second)
    elif kinds[0] == "Dense":
        shift = 1 if layout in BLOCKS else -1
        held = held.transpose(first + shift, second + shift)
    else:
        layout = {CSR: CSC, CSC: CSR, BSR: BSC, BSC: BSR}[layout]
        held = held.transpose(batch + 1, batch + 2) if layout in BLOCKS else held
    return SparseTensor(layout, places, held, Size(size))


@_rule("t")
def _t(self):
    if self.layout == COO and (self.sparse_dim() > 2 or self.dense_dim()):
        raise RuntimeError(
            f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {self.sparse_dim()} sparse and {self.dense_dim()} dense "
            "dimensions"
        )
    if self.dim() > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.dim()}D")
    return transpose(self, 0, 1) if self.dim() == 2 else self


_rule("numpy_T")(lambda self: permute(self, list(range(self.dim()))[::-1]))
_rule("mT")(lambda self: transpose(self, -2, -1))
_rule("mH", "matrix_H", "adjoint")(lambda self: _RULES["aten::conj"](transpose(self, -2, -1)))
_rule("t_")(lambda self: _become(self, _t(self)))
_rule("transpose_", "swapaxes_", "swapdims_")(lambda self, dim0, dim1: _become(self, transpose(self, dim0, dim1)))


@_rule("movedim", "moveaxis")
def _movedim(self, source, destination):
    order = torch.empty([2] * self.dim(), device="meta")
    sources, places = ([each] if isinstance(each, int) else list(each) for each in (source, destination))
    sources, places = _dims(self, sources), _dims(self, places)
    rest = iter([dim for dim in range(order.dim()) if dim not in sources])
    return permute(self, [sources[places.index(dim)] if dim in places else next(rest) for dim in range(order.dim())])


@_rule("select")
def select(self, dim, index):
    """The part at a place of a dimension."""
    (dim,) = _dims(self, (dim,))
    size = self.shape[dim]
    if not -size <= index < size:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension {dim}")
    index %= size
    if _batched(self):
        if dim >= self.batch_dim():
            raise RuntimeError("select(): selecting sparse dimensions is not supported for batched sparse compressed tensors.")
        places = tuple(part.select(dim, index) for part in self.places)
        return self.like(self.held.select(dim, index), places, Size(self.shape[:dim] + self.shape[dim + 1 :]))
    coo = as_coo(self)
    count = coo.sparse_dim()
    rest = Size(self.shape[:dim] + self.shape[dim + 1 :])
    if dim >= count:
        return coo.like(coo.held.select(dim - count + 1, index), size=rest)
    kept = coo.places[dim] == index
    if count == 1:
        return coo.held[kept].sum(0)
    places = torch.cat([coo.places[:dim], coo.places[dim + 1 :]])[:, kept]
    return coo.like(coo.held[kept], places, rest)


@_rule("narrow_copy")
def _narrow_copy(self, dim, start, length):
    if self.layout != COO:
        _refuse("narrow_copy", self)
    if not 0 <= dim < self.dim():
        raise RuntimeError(f"Dimension {dim} out of range. Expecting 0 <= dim < {self.dim()}.")
    if start < 0 or length < 0 or start + length > self.shape[dim]:
        raise RuntimeError(
            f"Invalid range to narrow. range(start, start+length) must be a subset of range(0, {self.shape[dim]})."
        )
    coo = as_coo(self)
    count = coo.sparse_dim()
    size = Size((*self.shape[:dim], length, *self.shape[dim + 1 :]))
    if dim >= count:
        return coo.like(coo.held.narrow(dim - count + 1, start, length), size=size)
    kept = (coo.places[dim] >= start) & (coo.places[dim] < start + length)
    places = coo.places[:, kept]
    places[dim] -= start
    return coo.like(coo.held[kept], places, size)


@_rule("index_select")
def _index_select(self, dim, index):
    if self.layout != COO:
        _refuse("index_select", self)
    (dim,) = _dims(self, (dim,))
    outside = index[(index < -self.shape[dim]) | (index >= self.shape[dim])]
    if outside.numel():
        raise IndexError(
            f"index_select(): index contains {outside[0].item()} that is out of range for tensor of size {list(self.shape)} at dimension {dim}"
        )
    coo = self
    count = coo.sparse_dim()
    size = Size((*self.shape[:dim], index.shape[0], *self.shape[dim + 1 :]))
    if dim >= count:
        return coo.like(coo.held.index_select(dim - count + 1, index), size=size)
    # Every place and every index that asks for it.
    found, wanted = (coo.places[dim].unsqueeze(0) == index.unsqueeze(1)).nonzero().unbind(1)[::-1]
    places = coo.places[:, found]
    places[dim] = wanted
    return coo.like(coo.held[found], places, size, coalesced=False)


def getitem(self, key):
    """``tensor[key]``: integers, None and whole slices."""
    parts = list(key) if isinstance(key, tuple) else [key]
    if len([part for part in parts if part is not None and part is not Ellipsis]) > self.dim():
        raise IndexError(f"too many indices for tensor of dimension {self.dim()}")
    missing = self.dim() - sum(1 for part in parts if part is not None and part is not Ellipsis)
    if Ellipsis in [part for part in parts if not isinstance(part, Tensor)]:
        place = [part is Ellipsis for part in parts].index(True)
        parts[place : place + 1] = [slice(None)] * missing
    dim = 0
    for part in parts:
        if part is None:
            self, dim = _RULES["aten::unsqueeze"](self, dim), dim + 1
        elif isinstance(part, slice):
            if is_sparse(self) and (part != slice(None) or len(parts) == 1):
                _refuse("slice", self)
            self = self if is_sparse(self) else self[(slice(None),) * dim + (part,)]
            dim += 1
        elif isinstance(part, bool):
            _refuse("fill_", self, (self, part))
        elif isinstance(part, Tensor) and part.dim() or isinstance(part, list):
            _refuse("index", self)
        elif not -self.shape[dim] <= int(part) < self.shape[dim]:
            raise IndexError(f"index {int(part)} is out of bounds for dimension {dim} with size {self.shape[dim]}")
        elif is_sparse(self):
            self = _RULES["aten::select"](self, dim, int(part))
        else:
            self = self.select(dim, int(part))
    return self


@_rule("unsqueeze")
def _unsqueeze(self, dim):
    if not -self.dim() - 1 <= dim <= self.dim():
        raise IndexError(f"Dimension out of range (expected to be in range of [{-self.dim() - 1}, {self.dim()}], but got {dim})")
    dim %= self.dim() + 1
    if self.layout != COO:
        _refuse("unsqueeze", self)
    count = self.sparse_dim()
    size = Size((*self.shape[:dim], 1, *self.shape[dim:]))
    if dim > count:
        return self.like(self.held.unsqueeze(dim - count + 1), size=size)
    row = self.places.new_zeros((1, self._nnz()))
    return self.like(self.held, torch.cat([self.places[:dim], row, self.places[dim:]]), size)


@_rule("unbind")
def _unbind(self, dim=0):
    return tuple(select(self, dim, i) for i in range(self.shape[dim]))


@_rule("cat", "concat", "concatenate")
def _cat(tensors, dim=0):
    for place, tensor in enumerate(tensors):
        if is_sparse(tensor) and tensor.layout != COO:
            _refuse("cat", tensor)
    for place, tensor in enumerate(tensors):
        if not is_sparse(tensor):
            if place == 0:
                raise NotImplementedError(
                    "Could not run 'aten::_values' with arguments from the 'CPU' backend. This could be because the operator doesn't exist "
                    "for this backend, or was omitted during the selective/custom build process (if using custom build)."
                )
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {place}.")
    first = tensors[0]
    (dim,) = _dims(first, (dim,))
    count = first.sparse_dim()
    for place, tensor in enumerate(tensors):
        if [n for i, n in enumerate(tensor.shape) if i != dim] != [n for i, n in enumerate(first.shape) if i != dim]:
            raise RuntimeError(
                f"All tensors must have the same shape: {list(first.shape)} (except in the concatenating dimension), but found shape: "
                f"{list(tensor.shape)} at position {place}."
            )
        if tensor.sparse_dim() != count:
            raise RuntimeError(
                f"All tensors must have the same sparse_dim and dense_dim: {count}, {first.dense_dim()}, but tensor at position {place} has "
                f"{tensor.sparse_dim()}, {tensor.dense_dim()}."
            )
    total = sum(tensor.shape[dim] for tensor in tensors)
    size = Size((*first.shape[:dim], total, *first.shape[dim + 1 :]))
    places, held, offset = [], [], 0
    for tensor in tensors:
        moved, values = tensor.places, tensor.held
        if dim < count:
            moved = moved.clone()
            moved[dim] += offset
        else:
            # Zeros on either side stand for what the others have there.
            along = dim - count + 1
            before, after = list(values.shape), list(values.shape)
            before[along], after[along] = offset, total - offset - tensor.shape[dim]
            values = torch.cat([values.new_zeros(before), values, values.new_zeros(after)], along)
        offset += tensor.shape[dim]
        places.append(moved)
        held.append(values)
    return first.like(torch.cat(held), torch.cat(places, 1), size, False)


@_rule("vstack", "row_stack")
def _vstack(tensors):
    return _cat(tensors, 0)


@_rule("hstack")
def _hstack(tensors):
    return _cat(tensors, 0 if tensors[0].dim() == 1 else 1)


@_rule("stack")
def _stack(tensors, dim=0):
    for place, tensor in enumerate(tensors):
        if is_sparse(tensor) and tensor.layout != COO:
            _refuse("stack", tensor)
        if tensor.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at entry 0 and {list(tensor.shape)} at entry "
                f"{place}"
            )
    return _cat([_unsqueeze(tensor, dim) for tensor in tensors], dim)


@_rule("view")
def _view(self, *size):
    _refuse("view", self)


@_rule("flatten")
def _flatten(self, start_dim=0, end_dim=-1):
    return self if start_dim % self.dim() == end_dim % self.dim() else _reshape(self)


@_rule("reshape", "reshape_as")
def _reshape(self, *size, **_):
    if self.layout != COO:
        _refuse("reshape", self)
    raise RuntimeError("reshape is not implemented for sparse tensors")


@_rule("expand", "repeat", "expand_as", "broadcast_to", "tile")
def _expand(self, *size, **_):
    raise RuntimeError(f"expand is unsupported for {'Sparse' if self.layout == COO else 'SparseCsr'} tensors")


@_rule("contiguous")
def _contiguous(self, *, memory_format=None):
    if self.layout != COO:
        _refuse("contiguous", self)
    raise RuntimeError("unsupported memory format option Contiguous")


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


@_rule("resize_as_sparse_", "resize_as_")
def _resize_as(self, the_template, *, memory_format=None):
    if self.shape == the_template.shape or not is_sparse(the_template):
        return self
    return _sparse_resize_(self, the_template.shape, the_template.sparse_dim(), the_template.dense_dim())


_rule("detach_")(lambda self: _become(self, self.like(self.held.detach())))


def _named_type(self, dtype=None, non_blocking=False):
    """The name of the tensor's type, or the tensor as another dtype."""
    if dtype is None and self.layout != COO:
        raise RuntimeError("Unimplemented backend SparseCsrCPU")
    return _kind(self) if dtype is None else _to(self, dtype)


# What recorded calls are called, where the last of the operators behind a rule would have another name.
_NODES = {
    "coalesce": "Coalesce", "to_dense": "ToDense", "_to_dense": "ToDense", "to_sparse_csr": "ToSparseCsr", "to_sparse_csc": "ToSparseCsc",
    "to_sparse_bsr": "ToSparseBsr", "to_sparse_bsc": "ToSparseBsc", "clone": "Clone", "to": "ToCopy", "_to_copy": "ToCopy",
    "add": "Add", "add_": "Add", "sub": "Sub", "sub_": "Sub", "subtract": "Sub", "mul": "Mul", "mul_": "Mul", "multiply": "Mul",
    "div": "Div", "div_": "Div", "divide": "Div", "true_divide": "Div", "mm": "Mm", "mv": "Mv", "bmm": "Bmm", "addmm": "Addmm",
    "t": "T", "numpy_T": "Permute", "mT": "Transpose", "transpose": "Transpose", "swapaxes": "Transpose", "swapdims": "Transpose",
    "permute": "Permute", "movedim": "Permute", "select": "Select", "narrow_copy": "NarrowCopy", "index_select": "IndexSelect",
    "unsqueeze": "Unsqueeze", "cat": "Cat", "concat": "Cat", "concatenate": "Cat", "vstack": "Cat", "hstack": "Cat", "stack": "Stack",
    "_sparse_softmax": "SparseSoftmax", "_sparse_log_softmax": "SparseLogSoftmax", "sparse_mask": "SparseMask",
    "sparse_sampled_addmm": "SparseSampledAddmm",
}  # fmt: skip
_OTHER_NODES = {"norm": "NormBackward1"}


def _node_of(name, args, kwargs):
    if name in ("matmul", "__matmul__"):
        return "MvBackward0" if args[1].dim() == 1 else "MmBackward0"
    if name == "linear":
        return "AddBackward0" if len(args) > 2 and args[2] is not None else "MmBackward0"
    if name == "sum":
        return "SumBackward1" if len(args) > 1 or "dim" in kwargs else "SumBackward0"
    if name in ("to_sparse", "to_sparse_coo"):
        layout = kwargs.get("layout") or COO
        return "ToSparseBackward1" if layout == COO else f"ToSparse{layout_name(layout)}Backward0"
    return _OTHER_NODES[name]


def layout_name(layout):
    """``Csr`` and its kin."""
    return str(layout).removeprefix("torch.sparse_").capitalize()


def as_called(result, node, args=()):
    """A result as that of a recorded call of a name; an argument that comes back stays what it is."""
    if any(result is arg for arg in args) and not (isinstance(result, SparseTensor) and node in ("AddBackward0", "MulBackward0", "DivBackward0")):
        return result
    if isinstance(result, SparseTensor):
        return result.called(node)
    return recorded(result, node) if isinstance(result, Tensor) and not result.is_leaf else result


# With these, dense results give leaves dense gradients: also for the elements that are not there.
_WHOLE = {"mm": "mm", "matmul": "matmul", "__matmul__": "matmul", "mv": "mv", "addmm": "addmm", "add": "add", "sum": "sum"}


def _with_whole_gradient(name, rule, node, args, kwargs):
    leaves = [arg for arg in args if is_sparse(arg) and arg.is_own_leaf and arg.requires_grad]
    apart = [arg.detach() if any(arg is leaf for leaf in leaves) else arg for arg in args]
    result = rule(*apart, **kwargs)
    if is_sparse(result):
        return as_called(rule(*args, **kwargs), node, args)
    plain = [arg.detach() if isinstance(arg, Tensor) else arg for arg in apart]

    def run(grads):
        for leaf in leaves:
            # What the operator does with a dense tensor in the place of the leaf.
            dense = to_dense(leaf.detach()).requires_grad_()
            given = [dense if arg is leaf else to_dense(each) if is_sparse(each) else each for arg, each in zip(args, plain)]
            with torch.enable_grad():
                out = getattr(torch, _WHOLE[name])(*given, **kwargs)
            (found,) = torch.autograd.grad(out, [dense], grads[0])
            leaf.whole = found if leaf.whole is None else leaf.whole + found
        return (*(grads if result.requires_grad else ()), *(None for _ in leaves))

    recorded_result = result.detach()
    arguments = [*([result] if result.requires_grad else []), *(leaf.held for leaf in leaves)]
    _rushlight.record_custom(node, arguments, [recorded_result], run, [])
    return recorded_result


def _with_node(name, rule):
    import functools

    node = f"{_NODES[name]}Backward0" if name in _NODES else None

    @functools.wraps(rule)
    def function(*args, **kwargs):
        if not torch.is_grad_enabled():
            return rule(*args, **kwargs)
        if name in _WHOLE and any(is_sparse(arg) and arg.is_own_leaf and arg.requires_grad for arg in args):
            return _with_whole_gradient(name, rule, node or _node_of(name, args, kwargs), args, kwargs)
        result = rule(*args, **kwargs)
        return as_called(result, node or _node_of(name, args, kwargs), args)

    return function


for _name in (*_NODES, *_OTHER_NODES, "matmul", "__matmul__", "linear", "sum", "to_sparse", "to_sparse_coo"):
    if "aten::" + _name in _RULES:
        _RULES["aten::" + _name] = _with_node(_name, _RULES["aten::" + _name])


def _install():
    """Gives the class the methods that are rules: also those that dense tensors have in Python."""
    attributes = ("real", "imag", "mT", "mH", "H")
    for full, rule in _RULES.items():
        name = full.removeprefix("aten::")
        if name == "numpy_T":
            SparseTensor.T = property(rule, doc="Dimensions in reverse order.")
        elif name in attributes:
            setattr(SparseTensor, name, property(rule))
        elif name not in vars(SparseTensor) and not name.startswith("__"):
            setattr(SparseTensor, name, rule)
    for name in ("float32 float", "float64 double", "float16 half", "bfloat16 bfloat16", "int32 int", "int64 long", "int16 short", "int8 char",
                 "uint8 byte", "bool bool", "complex32 chalf", "complex64 cfloat", "complex128 cdouble"):
        dtype, method = name.split()
        setattr(SparseTensor, method, lambda self, dtype=getattr(torch, dtype): _to(self, dtype))
    SparseTensor.type = _named_type


_install()
