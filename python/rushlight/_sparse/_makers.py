"""What makes sparse tensors: of places and values, and of dense tensors."""

import rushlight as torch

from .._names import Size
from .._once import warn_once
from ._refusals import refuse
from ._tensor import BLOCKS, BSC, BSR, COO, CSC, CSR, PLACES, SparseTensor


def _as_tensor(values, dtype, device=None):
    values = values if isinstance(values, torch.Tensor) else torch.tensor(values, dtype=dtype, device=device)
    return values if dtype is None else values.to(dtype)


def _is_checked(check_invariants):
    if check_invariants is None and _checked[0] is None:
        warn_once(_UNCHECKED, stacklevel=None)
    return bool(check_invariants) or check_invariants is None and bool(_checked[0])


def _finished(tensor, requires_grad, check_invariants=None):
    if _is_checked(check_invariants):
        check(tensor)
    return tensor.requires_grad_(True) if requires_grad else tensor


# Whether places are checked wherever a tensor is made; None until a program says so.
_checked = [None]
_UNCHECKED = (
    "Sparse invariant checks are implicitly disabled. Memory errors (e.g. SEGFAULT) will occur when operating on a sparse tensor which "
    "violates the invariants, but checks incur performance overhead. To silence this warning, explicitly opt in or out. See "
    "`torch.sparse.check_sparse_tensor_invariants.__doc__` for guidance. "
)


def sparse_coo_tensor(
    indices=None, values=None, size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False, check_invariants=None,
    is_coalesced=None,
):
    """A tensor of values and their places, one column of ``indices`` for each; equal places add up.

    Args:
        indices: [dimensions, count]; sizes alone make a tensor of zeros.
        values: the values, which may have dimensions of their own.
        size: the sizes; as large as the places ask for where it is not given.
        dtype, device: of the values.
        pin_memory: taken, and without a meaning.
        requires_grad: whether the gradient of the tensor is added up.
        check_invariants: whether places are checked.
        is_coalesced: whether every place is there once, in order.
    """
    if values is None:
        size = Size(indices if size is None else size)
        places = torch.empty((len(size), 0), dtype=torch.int64)
        held = torch.empty((0,), dtype=dtype or torch.get_default_dtype(), device=device)
        return _finished(SparseTensor(COO, places, held, size, True), requires_grad, check_invariants)
    places, held = _as_tensor(indices, torch.int64), _as_tensor(values, dtype, device)
    if places.numel() == 0 and places.dim() == 1:
        places = places.reshape(0, held.shape[0]) if held.dim() else places
    if held.dim() == 0:
        held = held.reshape(1)
    if places.dim() != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(places.shape)}")
    if places.shape[1] != held.shape[0]:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {places.shape[1]}, nnz from values: {held.shape[0]}"
        )
    sparse_dim, dense_dim = places.shape[0], held.dim() - 1
    if size is None:
        size = _least_size(places, held)
    size = Size(size)
    if len(size) != sparse_dim + dense_dim:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(size)}, sparse_dim = {sparse_dim}, "
            f"dense_dim = {dense_dim}"
        )
    if requires_grad:
        held = _to_add_up(held)
    made = SparseTensor(COO, places, held, size, bool(is_coalesced)).called("SparseCooTensorWithDimsAndTensorsBackward0")
    return _finished(made, requires_grad, check_invariants)


def _to_add_up(held):
    """Values whose gradient is to be added up."""
    if not (held.dtype.is_floating_point or held.dtype.is_complex):
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return held.detach()


def _least_size(places, held):
    sizes = []
    for dim, row in enumerate(places):
        if row.numel() and row.min() < 0:
            raise RuntimeError(f"found negative index {int(row.min())} for dim {dim}")
        sizes.append(int(row.max()) + 1 if row.numel() else 0)
    return sizes + list(held.shape[1:])


def _compressed(layout, starts, others, values, size, dtype, device, requires_grad, check_invariants):
    starts, others = (_as_tensor(places, None) for places in (starts, others))
    if _is_checked(check_invariants) and starts.dtype != others.dtype:
        first, second = PLACES[layout]
        # What tensors of a dtype are called: LongTensor.
        names = " and ".join(places.type().removeprefix("torch.").removesuffix("Tensor") for places in (starts, others))
        raise RuntimeError(f"{first} and {second} must have the same dtype, bot got {names}, respectively")
    held = _as_tensor(values, dtype, device)
    batch = starts.dim() - 1
    if size is None:
        first, second = starts.shape[-1] - 1, int(others.max()) + 1 if others.numel() else 0
        size = (first, second) if layout in (CSR, BSR) else (second, first)
        if layout in BLOCKS:
            size = (size[0] * held.shape[batch + 1], size[1] * held.shape[batch + 2])
        size = (*starts.shape[:-1], *size, *held.shape[batch + (3 if layout in BLOCKS else 1):])
    if requires_grad:
        held = _to_add_up(held)
    made = SparseTensor(layout, (starts, others), held, Size(size)).called("SparseCompressedTensorBackward0")
    return _finished(made, requires_grad, check_invariants)


def sparse_csr_tensor(
    crow_indices, col_indices, values, size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False,
    check_invariants=None,
):
    """A matrix of values, where each row begins among them, and the column of each."""
    return _compressed(CSR, crow_indices, col_indices, values, size, dtype, device, requires_grad, check_invariants)


def sparse_csc_tensor(
    ccol_indices, row_indices, values, size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False,
    check_invariants=None,
):
    """A matrix of values, where each column begins among them, and the row of each."""
    return _compressed(CSC, ccol_indices, row_indices, values, size, dtype, device, requires_grad, check_invariants)


def sparse_compressed_tensor(
    compressed_indices, plain_indices, values, size=None, *, dtype=None, layout=None, device=None, pin_memory=False,
    requires_grad=False, check_invariants=None,
):
    """A matrix in one of the compressed layouts."""
    if layout not in PLACES:
        raise RuntimeError(f"expected compressed sparse tensor layout but got {layout}")
    return _compressed(layout, compressed_indices, plain_indices, values, size, dtype, device, requires_grad, check_invariants)


def sparse_bsr_tensor(
    crow_indices, col_indices, values, size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False,
    check_invariants=None,
):
    """A matrix of blocks, where each row of blocks begins among them, and the column of each."""
    return _compressed(BSR, crow_indices, col_indices, values, size, dtype, device, requires_grad, check_invariants)


def sparse_bsc_tensor(
    ccol_indices, row_indices, values, size=None, *, dtype=None, device=None, pin_memory=False, requires_grad=False,
    check_invariants=None,
):
    """A matrix of blocks, where each column of blocks begins among them, and the row of each."""
    return _compressed(BSC, ccol_indices, row_indices, values, size, dtype, device, requires_grad, check_invariants)


# How refusals name layouts.
_SHORT_NAMES = {CSR: "Csr", CSC: "Csc", BSR: "Bsr", BSC: "Bsc"}
_LAYOUT_NAMES = {BSR: "SparseBsr", BSC: "SparseBsc"}


# Operators that can be asked for a sparse layout, the first of them to be refused.
_FILLED = ("ones", "full", "ones_like", "full_like")
OF_LAYOUT = (*_FILLED, "zeros", "empty", "zeros_like", "empty_like")


def of_layout(operator, args, kwargs):
    """What an operator that makes tensors makes with ``layout=torch.sparse_coo`` and its kin: only tensors of zeros are so made."""
    name = operator.removeprefix("aten::")
    layout = kwargs.pop("layout")
    if name in _FILLED:
        raise RuntimeError("full(...) is not implemented for sparse layout")
    if name not in OF_LAYOUT:
        refuse(operator, layout)
    if layout in BLOCKS:
        raise RuntimeError(
            f"zeros_sparse_compressed expected sparse compressed (non-block) tensor layout but got {_LAYOUT_NAMES[layout]}"
        )
    requires_grad = kwargs.pop("requires_grad", False)
    kwargs.pop("pin_memory", None)
    # A tensor without memory has the sizes and the dtype.
    shape = getattr(torch, name)(*args, **{**kwargs, "device": "meta"})
    if layout == COO:
        return sparse_coo_tensor(tuple(shape.shape), dtype=shape.dtype, requires_grad=requires_grad, check_invariants=False)
    if shape.dim() < 2:
        raise RuntimeError(f"torch.{name}: Only batched sparse compressed (non-block) tensors are supported, but got size {list(shape.shape)}")
    made = no_places(layout, shape.shape, torch.zeros(0, dtype=shape.dtype))
    return _finished(made, requires_grad, False)


def no_places(layout, size, held, dense_dim=0, block=()):
    """A compressed tensor of zeros: of as many matrices as its first sizes say."""
    batch = tuple(size[: len(size) - 2 - dense_dim])
    along = 0 if layout in (CSR, BSR) else 1
    lines = size[len(batch) + along] // (block[along] if block else 1)
    starts, others = torch.zeros((*batch, lines + 1), dtype=torch.int64), torch.zeros((*batch, 0), dtype=torch.int64)
    held = held.new_zeros((*batch, 0, *block, *size[len(size) - dense_dim :]))
    return SparseTensor(layout, (starts, others), held, Size(size))


def check(tensor):
    """Refuses places that are not in the tensor."""
    if tensor.layout == COO:
        for dim, row in enumerate(tensor.places):
            if not row.numel():
                continue
            low, high, size = int(row.min()), int(row.max()), tensor.shape[dim]
            if low < 0:
                raise RuntimeError(f"found negative index {low} for dim {dim}")
            if high >= size:
                raise RuntimeError(
                    f"size is inconsistent with indices: for dim {dim}, size is {size} but found index {high}"
                )
        return
    _check_compressed(tensor)


def _check_compressed(tensor):
    starts, others = tensor.places
    first, second = PLACES[tensor.layout]
    by_row = tensor.layout in (CSR, BSR)
    if starts.dim() < 1:
        raise RuntimeError(f"{first} must have dimensionality >= 1 but got {starts.dim()}")
    if starts.dim() != others.dim():
        raise RuntimeError(f"{first} and {second} dimensionalities must be equal but got {starts.dim()} and {others.dim()}, respectively")
    batch, block_dim = starts.dim() - 1, 2 if tensor.layout in BLOCKS else 0
    if tensor.held.dim() <= batch + block_dim:
        raise RuntimeError(
            f"values must have dimensionality > sum of batch and block dimensionalities (={batch} + {block_dim}) but got "
            f"{tensor.held.dim()}"
        )
    if tensor.dim() != batch + 2 + tensor.dense_dim():
        raise RuntimeError(
            "tensor dimensionality must be sum of batch, base, and dense dimensionalities "
            f"(={batch} + 2 + {tensor.dense_dim()}) but got {tensor.dim()}"
        )
    parts = [list(part.shape[:batch]) for part in (starts, others, tensor.held)]
    if any(part != list(tensor.shape[:batch]) for part in parts):
        raise RuntimeError(
            f"all batch dimensions of {first} (={parts[0]}), {second} (={parts[1]}), and values (={parts[2]}) must be equal to tensor "
            f"batch dimensions (={list(tensor.shape[:batch])})"
        )
    counts = list(tensor.shape[batch : batch + 2])
    if block_dim:
        for dim, block in enumerate(tensor.blocksize()):
            if counts[dim] % block:
                raise RuntimeError(
                    f"tensor shape[{batch + dim}] (={counts[dim]}) must be divisible with blocksize[{dim}] (={block}) as defined by values "
                    "shape"
                )
            counts[dim] //= block
    lines, limit = counts if by_row else counts[::-1]
    if starts.shape[-1] != lines + 1:
        kind = ("row" if by_row else "column") + (" blocks" if tensor.layout in BLOCKS else "s")
        raise RuntimeError(f"{first}.shape[-1] must be equal to the number of {kind} + 1 (={lines + 1}), but got {starts.shape[-1]}")
    if others.shape[-1] != tensor.held.shape[batch]:
        raise RuntimeError(
            f"{second}.shape[-1] must be equal to nnz (={tensor.held.shape[batch]}) as defined by values.shape[{batch}], but got "
            f"{others.shape[-1]}"
        )
    if starts.dtype not in (torch.int32, torch.int64):
        # What tensors of a dtype are called: FloatTensor.
        kind = starts.type().removeprefix("torch.").removesuffix("Tensor")
        raise RuntimeError(f"{first} and {second} dtype must be Int or Long, but got {kind}")
    if bool((starts[..., 0] != 0).any()):
        raise RuntimeError(f"`{first}[..., 0] == 0` is not satisfied.")
    if bool((starts[..., -1] != tensor._nnz()).any()):
        raise RuntimeError(f"`{first}[..., -1] == nnz` is not satisfied.")
    crossing = "ncols" if by_row else "nrows"
    counted = starts.diff()
    if counted.numel() and not (0 <= int(counted.min()) and int(counted.max()) <= limit):
        raise RuntimeError(f"`0 <= {first}[..., 1:] - {first}[..., :-1] <= {crossing}` is not satisfied.")
    if others.numel() and not (0 <= int(others.min()) and int(others.max()) < limit):
        raise RuntimeError(f"`0 <= {second} < {crossing}` is not satisfied.")
    for begun, places in zip(starts.reshape(-1, lines + 1), others.reshape(-1, others.shape[-1])):
        # Of two neighbours the second is further on, or begins a line.
        begins = torch.zeros(places.shape[0] + 1, dtype=torch.bool)
        begins[begun.long()] = True
        if not bool((begins[1:-1] | (places.diff() > 0)).all()):
            raise RuntimeError(
                f"`{second}[..., {first}[..., i - 1]:{first}[..., i]] for all i = 1, ..., {'nrows' if by_row else 'ncols'} are sorted "
                "and distinct along the last dimension values` is not satisfied."
            )


def of_dense(tensor, sparse_dim=None):
    """The elements of a dense tensor that are not zero, in COO."""
    count = tensor.dim() if sparse_dim is None else sparse_dim
    if not 0 <= count <= tensor.dim() or count == 0 and tensor.dim() > 0:
        raise RuntimeError(f"sparse_dim argument must be in >=1 && <= {tensor.dim()}, but got {count}")
    used = tensor.detach() != 0
    if used.dim() > count:
        used = used.flatten(count).any(-1)
    places = used.nonzero().t()
    if tensor.dim() == 0:
        held = tensor.reshape(1)[: places.shape[1]]
    else:
        held = tensor[tuple(places)]
    return SparseTensor(COO, places, held, tensor.shape, True)


def to_sparse(tensor, *args, layout=None, blocksize=None, dense_dim=None):
    """A dense tensor in a sparse layout; COO where none is given."""
    if layout is None or layout == COO:
        if blocksize is not None:
            raise RuntimeError("dense_to_sparse: conversion from Strided to Sparse with blocksize argument given is not supported")
        return of_dense(tensor, *args).called("ToSparseBackward" + ("0" if args else "1"))
    if layout in BLOCKS:
        if blocksize is None:
            name = "SparseBsr" if layout == BSR else "SparseBsc"
            raise RuntimeError(f"dense_to_sparse: conversion from Strided to {name} without blocksize argument given is not supported")
        return blocks_of(tensor, layout, blocksize, dense_dim or 0).called(f"ToSparse{_SHORT_NAMES[layout]}Backward0")
    name = "csr" if layout == CSR else "csc"
    if tensor.dim() < 2:
        # What the reference stumbles on.
        if layout == CSR:
            raise IndexError(f"select(): index 1 out of range for tensor of size {list(tensor.nonzero().shape)} at dimension 1")
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    dense_dim = dense_dim or 0
    if not 0 <= dense_dim <= tensor.dim() - 2:
        raise RuntimeError(f"dense_to_sparse_{name}: dense_dim argument must be in [0,{tensor.dim() - 2}] range, but {dense_dim} is given")
    made = each_matrix(tensor, dense_dim, lambda matrix: compress(of_dense(matrix, 2), layout))
    return made.called(f"ToSparse{_SHORT_NAMES[layout]}Backward0")


def each_matrix(tensor, dense_dim, function):
    """What a function makes of a matrix, or the batch of what it makes of those of a batch."""
    batch = tensor.shape[: tensor.dim() - 2 - dense_dim]
    if not batch:
        return function(tensor)
    if isinstance(tensor, SparseTensor):
        matrices = split_batch(tensor)
    else:
        matrices = tensor.reshape(-1, *tensor.shape[len(batch) :])
    return join_batch([function(matrix) for matrix in matrices], batch)


def split_batch(tensor):
    """The matrices of a batch of compressed ones."""
    count = tensor.batch_dim()
    starts, others, held = (part.flatten(0, count - 1) for part in (*tensor.places, tensor.held))
    size = Size(tensor.shape[count:])
    return [SparseTensor(tensor.layout, (starts[i], others[i]), held[i], size) for i in range(starts.shape[0])]


def join_batch(matrices, batch):
    """A batch of compressed matrices that have equally many elements each."""
    if len({matrix._nnz() for matrix in matrices}) > 1:
        raise RuntimeError("Expect the same number of specified elements per batch.")
    starts, others = (torch.stack([matrix.places[i] for matrix in matrices]).unflatten(0, batch) for i in range(2))
    held = torch.stack([matrix.held for matrix in matrices]).unflatten(0, batch)
    return SparseTensor(matrices[0].layout, (starts, others), held, Size((*batch, *matrices[0].shape)))


def blocks_of(tensor, layout, blocksize, dense_dim=0, used=None):
    """The blocks of a dense matrix that are not zero, or those that are ``used``."""
    name = "dense_to_sparse_bsr" if layout == BSR else "dense_to_sparse_bsc"
    block = (blocksize, blocksize) if isinstance(blocksize, int) else tuple(blocksize)
    if tensor.dim() - dense_dim > 2:
        return each_matrix(tensor, dense_dim, lambda matrix: blocks_of(matrix, layout, blocksize, dense_dim))
    rows, columns = (tensor.size(dim - dense_dim) for dim in (-2, -1))
    if len(block) != 2:
        raise RuntimeError(f"{name}: blocksize needs to be a tuple of size 2, but got {len(block)}")
    if min(block) <= 0:
        raise RuntimeError(f"{name}: blocksize needs to be positive, but got {list(block)}")
    if rows % block[0] or columns % block[1]:
        raise RuntimeError(
            f"{name}: tensor sparse size ({rows},{columns}) must be divisible by given blocksize ({block[0]},{block[1]})"
        )
    parts = tensor.reshape(rows // block[0], block[0], columns // block[1], block[1], *tensor.shape[2:]).transpose(1, 2)
    if used is None:
        used = (parts.detach() != 0).flatten(2).any(-1)
    # In the order of the lines that are compressed.
    first, second = (used if layout == BSR else used.t()).nonzero().unbind(1)
    held = parts[first, second] if layout == BSR else parts[second, first]
    counts = torch.bincount(first, minlength=used.shape[0 if layout == BSR else 1])
    starts = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    return SparseTensor(layout, (starts, second), held, tensor.shape)


def block_up(tensor, layout, blocksize):
    """A matrix in COO as blocks: those where it has elements."""
    from ._rules import to_dense

    block = (blocksize, blocksize) if isinstance(blocksize, int) else tuple(blocksize)
    used = None
    if len(block) == 2 and min(block) > 0 and not (tensor.shape[0] % block[0] or tensor.shape[1] % block[1]):
        used = torch.zeros(tensor.shape[0] // block[0], tensor.shape[1] // block[1], dtype=torch.bool)
        used[tensor.places[0] // block[0], tensor.places[1] // block[1]] = True
    return blocks_of(to_dense(tensor), layout, blocksize, tensor.dense_dim(), used)


def compress(tensor, layout, blocksize=None):
    """A matrix in COO in a compressed layout, with blocks of a size where the layout has blocks."""
    from ._rules import coalesce

    if tensor.sparse_dim() != 2:
        name = _SHORT_NAMES[layout]
        raise RuntimeError(
            f"coo_to_sparse_{name.lower()}: conversion from Sparse to Sparse{name} for input tensors with sparse_dim()!=2 is not supported"
        )
    if layout in BLOCKS:
        return block_up(tensor, layout, blocksize)
    rows, columns = (tensor.places if layout == CSR else tensor.places.flip(0))
    size = tensor.shape if layout == CSR else (tensor.shape[1], tensor.shape[0], *tensor.shape[2:])
    turned = coalesce(SparseTensor(COO, torch.stack([rows, columns]), tensor.held, size, tensor.coalesced and layout == CSR))
    counts = torch.bincount(turned.places[0], minlength=size[0])
    starts = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    return SparseTensor(layout, (starts, turned.places[1]), turned.held, tensor.shape)


def expand(tensor):
    """A compressed matrix, or a batch of them, in COO."""
    starts, others = (part.to(torch.int64) for part in tensor.places)
    batch, lines = starts.shape[:-1], starts.shape[-1] - 1
    held = tensor.held.flatten(0, len(batch)) if batch else tensor.held
    first = torch.repeat_interleave(torch.arange(lines).repeat(batch.numel()), starts.diff().reshape(-1))
    which = _of_batch(batch, others.shape[-1])
    others = others.reshape(-1)
    rows, columns = (first, others) if tensor.layout in (CSR, BSR) else (others, first)
    in_order = tensor.layout == CSR
    if tensor.layout in BLOCKS:
        height, width = tensor.blocksize()
        shape = (-1, height, width)
        rows = (rows.reshape(-1, 1, 1) * height + torch.arange(height).reshape(-1, 1)).expand(shape).reshape(-1)
        columns = (columns.reshape(-1, 1, 1) * width + torch.arange(width)).expand(shape).reshape(-1)
        which = [row.repeat_interleave(height * width) for row in which]
        held = held.flatten(0, 2)
        # Block by block: the places are in order where blocks are no higher than a row.
        in_order = tensor.layout == BSR and height == 1
    return SparseTensor(COO, torch.stack([*which, rows, columns]), held, tensor.shape, in_order)


def _of_batch(batch, count):
    """The places of matrices within a batch, for each of their elements."""
    if not batch:
        return []
    return [row.reshape(-1) for row in torch.meshgrid(*map(torch.arange, (*batch, count)), indexing="ij")[:-1]]
