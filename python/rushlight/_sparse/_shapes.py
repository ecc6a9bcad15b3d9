"""Rules for dimensions: their order, parts of tensors, tensors put together."""

import rushlight as torch

from .._names import Size
from ._core import _RULES, _batched, _become, _refuse, _rule, as_coo, is_sparse
from ._tensor import BLOCKS, BSC, BSR, COO, CSC, CSR, SparseTensor

Tensor = torch.Tensor


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
