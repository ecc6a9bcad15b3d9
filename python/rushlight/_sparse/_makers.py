"""What makes sparse tensors: of places and values, and of dense tensors."""

import rushlight as torch

from .._names import Size
from ._tensor import COO, CSC, CSR, PLACES, SparseTensor

_NOT_HERE = "tensors of blocks (BSR, BSC) are not part of Rushlight: torch.sparse_csr_tensor keeps single elements"


def _as_tensor(values, dtype, device=None):
    values = values if isinstance(values, torch.Tensor) else torch.tensor(values, dtype=dtype, device=device)
    return values if dtype is None else values.to(dtype)


def _finished(tensor, requires_grad, check_invariants=None):
    if check_invariants or check_invariants is None and _checked[0]:
        check(tensor)
    return tensor.requires_grad_(True) if requires_grad else tensor


# Whether places are checked wherever a tensor is made.
_checked = [False]


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
        return _finished(SparseTensor(COO, places, held, size, True), requires_grad)
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
    made_by = "SparseCooTensorWithDimsAndTensorsBackward0"
    if requires_grad:
        held = held.detach()
    return _finished(SparseTensor(COO, places, held, size, bool(is_coalesced), made_by), requires_grad, check_invariants)


def _least_size(places, held):
    sizes = []
    for dim, row in enumerate(places):
        if row.numel() and row.min() < 0:
            raise RuntimeError(f"found negative index {int(row.min())} for dim {dim}")
        sizes.append(int(row.max()) + 1 if row.numel() else 0)
    return sizes + list(held.shape[1:])


def _compressed(layout, starts, others, values, size, dtype, device, requires_grad, check_invariants):
    starts, others = (_as_tensor(places, None).to(torch.int64) for places in (starts, others))
    held = _as_tensor(values, dtype, device)
    if starts.dim() != 1:
        raise NotImplementedError("batches of compressed sparse tensors are not part of Rushlight")
    if size is None:
        first, second = starts.shape[0] - 1, int(others.max()) + 1 if others.numel() else 0
        size = (first, second) if layout == CSR else (second, first)
    if requires_grad:
        held = held.detach()
    return _finished(SparseTensor(layout, (starts, others), held, Size(size)), requires_grad, check_invariants)


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
        raise NotImplementedError(f"torch.sparse_compressed_tensor: {_NOT_HERE}")
    return _compressed(layout, compressed_indices, plain_indices, values, size, dtype, device, requires_grad, check_invariants)


def sparse_bsr_tensor(*args, **kwargs):
    """Is not part of this version."""
    raise NotImplementedError(f"torch.sparse_bsr_tensor: {_NOT_HERE}")


def sparse_bsc_tensor(*args, **kwargs):
    """Is not part of this version."""
    raise NotImplementedError(f"torch.sparse_bsc_tensor: {_NOT_HERE}")


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
    starts, others = tensor.places
    first, second = PLACES[tensor.layout]
    if int(starts[0]) != 0:
        raise RuntimeError(f"`{first}[..., 0] == 0` is not satisfied.")
    if int(starts[-1]) != tensor._nnz():
        raise RuntimeError(f"`{first}[..., -1] == nnz` is not satisfied.")
    limit = tensor.shape[1 if tensor.layout == CSR else 0]
    if others.numel() and not (0 <= int(others.min()) and int(others.max()) < limit):
        raise RuntimeError(f"`0 <= {second} < {'ncols' if tensor.layout == CSR else 'nrows'}` is not satisfied.")


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
    return SparseTensor(COO, places, held, tensor.shape, True, "ToSparseBackward" + ("0" if sparse_dim is not None else "1"))


def to_sparse(tensor, *args, layout=None, blocksize=None, dense_dim=None):
    """A dense tensor in a sparse layout; COO where none is given."""
    if layout is None or layout == COO:
        return of_dense(tensor, *args)
    if layout not in PLACES:
        raise NotImplementedError(f"Tensor.to_sparse: {_NOT_HERE}")
    return compress(of_dense(tensor), layout)


def compress(tensor, layout):
    """A matrix in COO in a compressed layout."""
    from ._rules import coalesce

    if tensor.dim() != 2:
        raise NotImplementedError("compressed sparse tensors are matrices here")
    rows, columns = (tensor.places if layout == CSR else tensor.places.flip(0))
    size = tensor.shape if layout == CSR else tensor.shape[::-1]
    turned = coalesce(SparseTensor(COO, torch.stack([rows, columns]), tensor.held, size, tensor.coalesced and layout == CSR))
    counts = torch.bincount(turned.places[0], minlength=size[0])
    starts = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    return SparseTensor(layout, (starts, turned.places[1]), turned.held, tensor.shape)


def expand(tensor):
    """A compressed matrix in COO."""
    starts, others = tensor.places
    first = torch.repeat_interleave(torch.arange(starts.shape[0] - 1), starts[1:] - starts[:-1])
    places = torch.stack([first, others] if tensor.layout == CSR else [others, first])
    return SparseTensor(COO, places, tensor.held, tensor.shape, tensor.layout == CSR)
