"""What operators do with sparse tensors: each of dense operators on places and values, so that gradients are theirs."""

import rushlight as torch

from .._names import Size
from ._makers import compress, expand, of_dense
from ._tensor import BLOCKS, BSC, BSR, COO, CSC, CSR, SparseTensor

Tensor = torch.Tensor
_RULES = {}


def _rule(*names):
    def add(function):
        for name in names:
            _RULES["aten::" + name] = function
        return function

    return add


# The names that the reference has for operators in refusals, where those are not the names of the functions.
_REFUSED_AS = {
    "sort": "sort.stable", "where": "where.self", "std": "std.correction", "var": "var.correction", "relu6": "hardtanh",
    "rand": "uniform_", "randn": "normal_", "arange": "arange.start_out", "eye": "eye.m_out",
}  # fmt: skip


def _refuse(operator, tensor):
    refuse_layout(operator, tensor.layout)


def refuse_layout(operator, layout):
    """Raises what calls of an operator that a layout does not have raise."""
    backend = "SparseCPU" if layout == COO else "SparseCsrCPU"
    name = operator.removeprefix("aten::")
    raise NotImplementedError(
        f"Could not run 'aten::{_REFUSED_AS.get(name, name)}' with arguments from the '{backend}' backend. This could be because the "
        "operator doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom build). "
        "Sparse tensors have no such operator here; to_dense() makes a dense one."
    )


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
        _refuse(operator, found[0])
    return rule(*args, **kwargs)


def is_sparse(obj):
    """Whether an object is a sparse tensor."""
    return type(obj) is SparseTensor


def as_coo(tensor):
    """A tensor in COO."""
    return tensor if tensor.layout == COO else expand(tensor)


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
        return self.like(self.held, coalesced=True, made_by="CoalesceBackward0")
    flat, groups = torch.unique(flat_places(self.places, sizes), return_inverse=True)
    held = _summed(self.held, groups, flat.shape[0])
    return self.like(held, _unflat(flat, sizes), coalesced=True, made_by="CoalesceBackward0")


@_rule("to_dense", "_to_dense")
def to_dense(self, dtype=None, *, masked_grad=None):
    """All elements."""
    coo = as_coo(self)
    sizes = coo.shape[: coo.sparse_dim()]
    held = coo.held if dtype is None else coo.held.to(dtype)
    return _summed(held, flat_places(coo.places, sizes), Size(sizes).numel()).reshape(coo.shape)


@_rule("to_sparse", "_to_sparse", "to_sparse_coo")
def to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
    """Another sparse layout."""
    if sparse_dim is not None and sparse_dim != self.sparse_dim():
        return of_dense(to_dense(self), sparse_dim)
    layout = layout or COO
    if self.layout in BLOCKS:
        _check_blocks(self, layout, blocksize)
    if layout == self.layout:
        return self
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
    return self.like(self.held.clone(), places, made_by="CloneBackward0")


_rule("detach", "alias", "lift_fresh", "resolve_conj", "resolve_neg", "positive")(lambda self: self.like(self.held.detach()))
_rule("cpu", "pin_memory")(lambda self, *args, **kwargs: self)
_rule("requires_grad_")(lambda self, requires_grad=True: self.requires_grad_(requires_grad))
_rule("is_same_size")(lambda self, other: self.shape == other.shape)
_rule("numel")(lambda self: self.shape.numel())
_rule("dim")(lambda self: len(self.shape))
_rule("size")(lambda self, dim=None: self.shape if dim is None else self.shape[dim])
_rule("is_floating_point")(lambda self: self.dtype.is_floating_point)
_rule("is_complex")(lambda self: self.dtype.is_complex)
_rule("is_conj", "is_neg", "is_inference", "is_pinned")(lambda self, *args: False)
_rule("is_contiguous")(lambda self, *, memory_format=None: False)
_rule("storage_offset")(lambda self: 0)
_rule("requires_grad")(lambda self: self.requires_grad)


@_rule("to", "_to_copy", "type_as")
def _to(self, *args, **kwargs):
    args = [arg.dtype if isinstance(arg, Tensor) else arg for arg in args]
    held = self.held.to(*args, **kwargs)
    return self if held is self.held else self.like(held, made_by="ToCopyBackward0")


@_rule("zeros_like", "empty_like")
def _zeros_like(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    if layout not in (None, self.layout):
        return torch.zeros(self.shape, dtype=dtype or self.dtype)
    return _empty(self, self.shape, dtype)


@_rule("ones_like")
def _ones_like(self, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    if self.layout == COO:
        _refuse("aten::fill_.Scalar", self)
    if layout not in (None, self.layout):
        return torch.ones(self.shape, dtype=dtype or self.dtype)
    # Compressed tensors keep their places.
    return self.like(torch.ones_like(self.held, dtype=dtype))


def _empty(self, size, dtype=None):
    count = self.sparse_dim() if len(size) == self.dim() else len(size)
    if self.layout != COO:
        return as_layout(_empty(as_coo(self), size, dtype), self)
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
    self.places, self.held, self.coalesced, self.made_by = other.places, other.held, other.coalesced, other.made_by
    self.is_own_leaf = not self.held.requires_grad
    return self


@_rule("copy_", "copy_sparse_to_sparse_")
def _copy_(self, src, non_blocking=False):
    if not (is_sparse(self) and is_sparse(src)):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented! Found self type = "
                           f"{_kind(self)} and src type = {_kind(src)}")
    return _become(self, _to(_clone(src), self.dtype))


def _kind(tensor):
    return ("torch.sparse." if is_sparse(tensor) else "torch.") + torch.empty(0, dtype=tensor.dtype).type().removeprefix("torch.")


@_rule("zero_")
def _zero_(self):
    return _become(self, _empty(self, self.shape))


# Functions that keep zeros: of the values of a tensor whose places are there once.
_KEEPING = (
    "abs", "asin", "asinh", "arcsin", "arcsinh", "atan", "arctan", "atanh", "arctanh", "ceil", "conj_physical", "deg2rad", "erf", "erfinv",
    "expm1", "floor", "frac", "isinf", "isnan", "isneginf", "isposinf", "log1p", "nan_to_num", "rad2deg", "relu", "round", "sgn", "sign",
    "signbit", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc", "pow", "float_power", "leaky_relu",
)
# Of these, sums of values are values of sums.
_LINEAR = ("neg", "deg2rad", "rad2deg", "real", "imag", "conj", "_conj", "mH")


def _dense(name):
    return getattr(torch, name, None) or getattr(Tensor, name)


def _keeping(name, is_linear):
    def function(self, *args, **kwargs):
        if not is_sparse(self) or any(is_sparse(arg) for arg in args):
            _refuse("aten::" + name, next(arg for arg in (self, *args) if is_sparse(arg)))
        plain = self if is_linear or self.layout != COO else coalesce(self)
        return plain.like(_dense(name)(plain.held, *args, **kwargs))

    function.__name__ = name
    return function


for _name in (*_KEEPING, *_LINEAR):
    _made = _RULES["aten::" + _name] = _keeping(_name, _name in _LINEAR)
    _RULES[f"aten::{_name}_"] = lambda self, *args, _made=_made: _become(self, _made(self, *args))


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
    if not is_sparse(self) and isinstance(self, Tensor):
        return self + alpha * to_dense(other) if alpha != 1 else self + to_dense(other)
    if not is_sparse(other):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
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
        return self.like(self.held * factor, made_by="MulBackward0")
    a = coalesce(as_coo(self))
    if not is_sparse(other):
        dense = other.expand(self.shape) if other.dim() <= self.dim() else other
        held = a.held * dense[tuple(a.places)]
        return as_layout(a.like(held, made_by="MulBackward0"), self)
    if self.shape != other.shape:
        raise RuntimeError("mul operands have incompatible sizes")
    b = coalesce(as_coo(other))
    sizes = a.shape[: a.sparse_dim()]
    first, second = flat_places(a.places, sizes), flat_places(b.places, sizes)
    kept, theirs = torch.isin(first, second), torch.isin(second, first)
    product = a.like(a.held[kept] * b.held[theirs], a.places[:, kept], made_by="MulBackward0")
    return as_layout(product, self)


@_rule("div", "divide", "true_divide")
def _div(self, other, *, rounding_mode=None):
    factor = _factor(other)
    if not is_sparse(self) or factor is None:
        raise RuntimeError("Sparse division requires a scalar or zero-dim dense tensor divisor "
                           f"(got shape {list(other.shape)} for divisor)")
    plain = coalesce(self) if rounding_mode is not None and self.layout == COO else self
    return plain.like(torch.div(plain.held, factor, rounding_mode=rounding_mode), made_by="DivBackward0")


@_rule("floor_divide")
def _floor_divide(self, other):
    return _div(self, other, rounding_mode="floor")


def _in_place(rule):
    def function(self, *args, **kwargs):
        result = rule(self, *args, **kwargs)
        return _become(self, result) if is_sparse(self) else self.copy_(result)

    return function


@_rule("add_")
def _add_(self, other, *, alpha=1):
    if is_sparse(self):
        return _become(self, add(self, other, alpha=alpha))
    coo = as_coo(other)
    if coo.sparse_dim() == 1:
        # Rows alone: what optimisers do with the gradients of tables.
        return self.index_add_(0, coo.places[0], coo.held.to(self.dtype), alpha=alpha)
    flat = flat_places(coo.places, coo.shape[: coo.sparse_dim()])
    added = self.flatten(0, coo.sparse_dim() - 1).index_add(0, flat, coo.held.to(self.dtype), alpha=alpha)
    return self.copy_(added.reshape(self.shape))


_rule("sub_", "subtract_")(lambda self, other, *, alpha=1: _add_(self, other, alpha=-alpha))
_rule("mul_", "multiply_")(_in_place(mul))
_rule("div_", "divide_", "true_divide_")(_in_place(_div))


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
    if self.dim() != 2 or mat2.dim() != 2:
        raise RuntimeError("mm: matrices expected")
    if self.shape[1] != mat2.shape[0]:
        if self.layout == COO and not is_sparse(mat2):
            raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {self.shape[1]}, got {mat2.shape[0]}")
        both_coo = self.layout == COO and mat2.layout == COO
        raise RuntimeError(
            f"{'_sparse_sparse_matmul' if both_coo else 'addmm'}: mat1 and mat2 shapes cannot be multiplied ({self.shape[0]}x{self.shape[1]} and {mat2.shape[0]}x{mat2.shape[1]})"
        )
    if is_sparse(self) and is_sparse(mat2):
        return as_layout(_times_sparse(self, mat2), self)
    if is_sparse(self):
        return _times_dense(self, mat2)
    return _times_dense(transpose(mat2, 0, 1), self.t()).t()


@_rule("mv")
def _mv(self, vec):
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
    if self.dim() == 3 and other.dim() == 3:
        return _bmm(self, other)
    if is_sparse(other) and not is_sparse(self) and self.dim() > 2:
        return mm(self.flatten(0, -2), other).unflatten(0, self.shape[:-1])
    return mm(self, other)


@_rule("bmm")
def _bmm(self, mat2):
    return torch.stack([mm(self.select(0, i), mat2.select(0, i)) for i in range(self.shape[0])])


@_rule("linear")
def _linear(input, weight, bias=None):
    out = _matmul(input, transpose(weight, 0, 1) if is_sparse(weight) else weight.t())
    return out if bias is None else out + bias


def addmm(self, mat1, mat2, *, beta=1, alpha=1):
    """``beta * self + alpha * mat1 @ mat2``."""
    product = mm(mat1, mat2) if is_sparse(mat1) or is_sparse(mat2) else torch.mm(mat1, mat2)
    if is_sparse(self) and not is_sparse(product):
        raise RuntimeError("addmm: sparse sums of dense products are not supported")
    scaled = mul(self, beta) if is_sparse(self) else self * beta
    return add(scaled, product, alpha=alpha) if is_sparse(product) else scaled + product * alpha


_rule("addmm", "_sparse_addmm", "sspaddmm")(addmm)
_rule("addmm_")(lambda self, mat1, mat2, *, beta=1, alpha=1: self.copy_(addmm(self, mat1, mat2, beta=beta, alpha=alpha)))


@_rule("hspmm")
def _hspmm(mat1, mat2):
    """The product of a sparse and a dense matrix, as sparse rows."""
    return of_dense(mm(mat1, mat2), 1)


@_rule("smm")
def _smm(input, mat):
    """The product of a sparse and a dense matrix, sparse."""
    return of_dense(mm(input, mat))


# Functions of ``torch`` by their older names.
PRODUCTS = {"hspmm": _hspmm, "smm": _smm, "spmm": mm, "dsmm": mm, "sspaddmm": addmm, "saddmm": addmm}


# Dimensions.
def _dims(self, dims):
    return [dim % self.dim() if -self.dim() <= dim < self.dim() else _bad_dim(self, dim) for dim in dims]


def _bad_dim(self, dim):
    raise IndexError(f"Dimension out of range (expected to be in range of [{-self.dim()}, {self.dim() - 1}], but got {dim})")


@_rule("permute")
def permute(self, *dims):
    """Dimensions in another order; those of places and those of values stay apart."""
    dims = _dims(self, dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims)
    if self.layout != COO:
        if dims == [1, 0]:
            turned = {CSR: CSC, CSC: CSR, BSR: BSC, BSC: BSR}[self.layout]
            held = self.held.transpose(1, 2) if self.layout in BLOCKS else self.held
            return SparseTensor(turned, self.places, held, self.shape[::-1])
        return self
    count = self.sparse_dim()
    if any(dim >= count for dim in dims[:count]):
        raise RuntimeError("transpose(): transposing between sparse and dense dimensions is not supported")
    held = self.held.permute(0, *(dim - count + 1 for dim in dims[count:]))
    size = Size(self.shape[dim] for dim in dims)
    stays = dims[:count] == list(range(count))
    return self.like(held, self.places[dims[:count]], size, self.coalesced and stays, "PermuteBackward0")


@_rule("transpose", "swapaxes", "swapdims")
def transpose(self, dim0, dim1):
    """Two dimensions exchanged."""
    dims = list(range(self.dim()))
    first, second = _dims(self, (dim0, dim1))
    dims[first], dims[second] = second, first
    return permute(self, dims)


_rule("t", "numpy_T", "mT")(lambda self: permute(self, list(range(self.dim()))[::-1]))

@_rule("select")
def select(self, dim, index):
    """The part at a place of a dimension."""
    (dim,) = _dims(self, (dim,))
    size = self.shape[dim]
    if not -size <= index < size:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension {dim}")
    index %= size
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
    (dim,) = _dims(self, (dim,))
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
    (dim,) = _dims(self, (dim,))
    coo = coalesce(as_coo(self))
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
    missing = self.dim() - sum(1 for part in parts if part is not None and part is not Ellipsis)
    if Ellipsis in [part for part in parts if not isinstance(part, Tensor)]:
        place = [part is Ellipsis for part in parts].index(True)
        parts[place : place + 1] = [slice(None)] * missing
    dim = 0
    for part in parts:
        if part is None:
            self, dim = _unsqueeze(self, dim), dim + 1
        elif isinstance(part, slice):
            begin, end, step = part.indices(self.shape[dim])
            if step != 1:
                _refuse("aten::slice.Tensor", self)
            if (begin, end) != (0, self.shape[dim]):
                self = _narrow_copy(self, dim, begin, max(end - begin, 0))
            dim += 1
        elif isinstance(part, Tensor) and part.dim() == 1 and part.dtype is torch.int64:
            self, dim = _index_select(self, dim, part), dim + 1
        elif isinstance(part, Tensor) and part.dim() or isinstance(part, (bool, list)):
            _refuse("aten::index.Tensor", self)
        elif is_sparse(self):
            self = select(self, dim, int(part))
        else:
            self = self.select(dim, int(part))
    return self


@_rule("unsqueeze")
def _unsqueeze(self, dim):
    if not -self.dim() - 1 <= dim <= self.dim():
        raise IndexError(f"Dimension out of range (expected to be in range of [{-self.dim() - 1}, {self.dim()}], but got {dim})")
    dim %= self.dim() + 1
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
    tensors = [as_coo(tensor) for tensor in tensors if is_sparse(tensor) or _refuse("aten::cat", next(filter(is_sparse, tensors)))]
    first = tensors[0]
    (dim,) = _dims(first, (dim,))
    total = sum(tensor.shape[dim] for tensor in tensors)
    size = Size((*first.shape[:dim], total, *first.shape[dim + 1 :]))
    places, offset = [], 0
    if dim >= first.sparse_dim():
        _refuse("aten::cat", first)
    for tensor in tensors:
        moved = tensor.places.clone()
        moved[dim] += offset
        offset += tensor.shape[dim]
        places.append(moved)
    return first.like(torch.cat([tensor.held for tensor in tensors]), torch.cat(places, 1), size, False, "CatBackward0")


@_rule("stack")
def _stack(tensors, dim=0):
    return _cat([_unsqueeze(as_coo(tensor), dim) for tensor in tensors], dim)


@_rule("view")
def _view(self, *size):
    _refuse("aten::view", self)


@_rule("reshape", "flatten")
def _reshape(self, *size, **_):
    if self.layout != COO:
        raise RuntimeError("Sparse CSR tensors do not have is_contiguous")
    raise RuntimeError("reshape is not implemented for sparse tensors")


@_rule("expand", "repeat")
def _expand(self, *size, **_):
    raise RuntimeError(f"expand is unsupported for {'Sparse' if self.layout == COO else 'SparseCsr'} tensors")


@_rule("contiguous")
def _contiguous(self, *, memory_format=None):
    raise RuntimeError("unsupported memory format option Contiguous")


# What is left of all elements.
@_rule("sum", "_sparse_sum")
def sum_of(self, dim=None, keepdim=False, *, dtype=None):
    """The sum of all elements, or over some dimensions: then it is sparse where dimensions of places are left."""
    held = self.held if dtype is None else self.held.to(dtype)
    if dim is None or isinstance(dim, (tuple, list)) and not len(dim):
        return held.sum()
    if self.layout in (CSC, *BLOCKS):
        raise RuntimeError(
            f"Currently the only compressed sparse format supported for sum.dim_IntList is CSR, but got layout {self._layout_name()}"
        )
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
def _any(self):
    return (coalesce(as_coo(self)).held != 0).any()


@_rule("norm", "linalg_vector_norm", "native_norm")
def _norm(self, p=2, dim=None, keepdim=False, dtype=None):
    if dim is not None and len(dim):
        _refuse("aten::norm", self)
    return torch.linalg.vector_norm(coalesce(as_coo(self)).held, 2 if p in (None, "fro") else p)


_rule("frobenius_norm")(lambda self, dim=None, keepdim=False: _norm(self))


@_rule("isclose", "eq", "ne", "lt", "le", "gt", "ge", "equal", "allclose")
def _compare(self, *others, **options):
    _refuse("aten::eq.Tensor", next(tensor for tensor in (self, *others) if is_sparse(tensor)))


def _groups(coo, dim):
    """Which elements stand in one row along a dimension: a number for each, and how many there are."""
    sizes = [n for place, n in enumerate(coo.shape[: coo.sparse_dim()]) if place != dim]
    rows = [row for place, row in enumerate(coo.places) if place != dim]
    return flat_places(torch.stack(rows) if rows else coo.places[:0], sizes), Size(sizes).numel()


@_rule("softmax", "_sparse_softmax", "_softmax")
def softmax(self, dim, dtype=None, *, log=False):
    """The softmax along a dimension, in which elements that are not there count for nothing."""
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


@_rule("log_softmax", "_sparse_log_softmax", "_log_softmax")
def log_softmax(self, dim, dtype=None):
    """The logarithm of :func:`softmax`."""
    return softmax(self, dim, dtype, log=True)


@_rule("sparse_mask")
def sparse_mask(self, mask):
    """The elements at the places of a sparse tensor."""
    if is_sparse(self):
        self = to_dense(self)
    if self.shape != mask.shape:
        raise RuntimeError(f"sparse_mask(): operands have incompatible sizes; self has size {list(self.shape)} but mask has size {list(mask.shape)}")
    coo = as_coo(mask)
    return as_layout(coo.like(self[tuple(coo.places)]), mask)


@_rule("sparse_sampled_addmm")
def sampled_addmm(self, mat1, mat2, *, beta=1.0, alpha=1.0):
    """``alpha * mat1 @ mat2`` at the places of a sparse matrix, plus ``beta`` times that matrix."""
    rows, columns = as_coo(self).places
    products = (mat1[rows] * mat2.t()[columns]).sum(-1)
    return self.like(self.held * beta + products * alpha)


@_rule("resize_as_sparse_", "resize_as_")
def _resize_as(self, the_template, *, memory_format=None):
    if self.shape != the_template.shape:
        raise NotImplementedError("tensors that take other sizes in place are not part of Rushlight's sparse tensors")
    return self


_rule("detach_")(lambda self: _become(self, self.like(self.held.detach())))


def _named_type(self, dtype=None, non_blocking=False):
    """The name of the tensor's type, or the tensor as another dtype."""
    return _kind(self) if dtype is None else _to(self, dtype)


def _install():
    """Gives the class the methods that are rules: also those that dense tensors have in Python."""
    attributes = ("real", "imag", "mT", "mH")
    for full, rule in _RULES.items():
        name = full.removeprefix("aten::")
        if name == "numpy_T":
            SparseTensor.T = property(rule, doc="Dimensions in reverse order.")
        elif name in attributes:
            setattr(SparseTensor, name, property(rule))
        elif name not in vars(SparseTensor) and not name.startswith("__"):
            setattr(SparseTensor, name, rule)
    for name in ("float32 float", "float64 double", "float16 half", "bfloat16 bfloat16", "int32 int", "int64 long", "int16 short", "int8 char",
                 "uint8 byte", "bool bool", "complex64 cfloat", "complex128 cdouble"):
        dtype, method = name.split()
        setattr(SparseTensor, method, lambda self, dtype=getattr(torch, dtype): _to(self, dtype))
    SparseTensor.type = _named_type


_install()
