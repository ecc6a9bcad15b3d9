"""Operators that read and write elements by number."""

import rushlight as _torch

from ._common import Tensor, Unfit, all_front, batched_at, bind, front, padded, refuse, rule, shifted, wrap

_DYNAMIC = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with a boolean mask."
)


def _as_tuple(index):
    if isinstance(index, tuple):
        return index
    if isinstance(index, list) and any(isinstance(i, (slice, Tensor, list, tuple)) or i is None or i is Ellipsis for i in index):
        return tuple(index)
    return (index,)


def _plain_lists(index):
    """Lists of numbers as tensors."""
    return tuple(_torch.tensor(list(i)) if isinstance(i, (list, tuple, range)) else i for i in index)


def _is_mask(obj):
    return isinstance(obj, Tensor) and obj.dtype in (_torch.bool, _torch.uint8)


@rule("__getitem__")
def getitem(level, call, args, kwargs):
    """``x[index]``, where the tensor or parts of the index are batched."""
    self, index = args
    index = _plain_lists(_as_tuple(index))
    if any(_is_mask(i) and batched_at(i, level) for i in index):
        refuse(_DYNAMIC)
    if any(isinstance(i, bool) for i in index):
        raise Unfit
    tensors = [i for i in index if isinstance(i, Tensor)]
    if not tensors:
        return wrap(call(front(self), (slice(None), *index)), level)
    if len(tensors) == 1 and tensors[0] is index[0] and batched_at(self, level) and not batched_at(tensors[0], level):
        if not _is_mask(tensors[0]):
            return wrap(call(front(self), (slice(None), *index)), level)
    return _with_tensors(level, call, self, index)


def _with_tensors(level, call, self, index):
    """The general case: all that is no tensor first, then the tensors, the samples being one of them where they must."""
    used = sum(i.dim() if _is_mask(i) else 1 for i in index if i is not None and i is not Ellipsis)
    if any(_is_mask(i) for i in index):
        # A mask that is the same for all samples is the numbers of its elements.
        index = tuple(part for i in index for part in (i.nonzero().unbind(1) if _is_mask(i) else (i,)))
    if used > self.dim():
        raise Unfit
    rest = (slice(None),) * (self.dim() - used)
    if Ellipsis in [i for i in index if not isinstance(i, Tensor)]:
        at = next(k for k, i in enumerate(index) if i is Ellipsis)
        index = index[:at] + rest + index[at + 1 :]
    else:
        index = index + rest
    is_batched = batched_at(self, level)
    basic = tuple(slice(None) if isinstance(i, Tensor) else i for i in index)
    value = call(front(self), (slice(None), *basic)) if is_batched else call(self, basic)
    # What is left has a dimension for everything but the plain numbers.
    left = [i for i in index if not isinstance(i, int)]
    places = [k for k, i in enumerate(left) if isinstance(i, Tensor)]
    rank = max(i.dim() for i in left if isinstance(i, Tensor))
    adjacent = places == list(range(places[0], places[0] + len(places)))
    start = places[0] if adjacent else 0
    found = []
    for i in left:
        if not isinstance(i, Tensor):
            found.append(slice(None))
        elif batched_at(i, level):
            found.append(padded(front(i), rank))
        else:
            found.append(i)
    any_batched = any(batched_at(i, level) for i in left if isinstance(i, Tensor))
    if not is_batched:
        # The samples are the first dimension of the numbers.
        return wrap(call(value, tuple(found)), level, start)
    if not any_batched:
        result = call(value, (slice(None), *found))
        # Where tensors stand apart, their dimensions come first, before the samples.
        return wrap(result, level, 0 if adjacent else rank)
    samples = _torch.arange(level.batch_size).reshape(-1, *[1] * rank)
    result = call(value, (samples, *found))
    # The dimensions of the numbers follow the samples; bring them where they stood.
    if start:
        result = result.movedim(list(range(1, 1 + rank)), list(range(1 + start, 1 + start + rank)))
    return wrap(result, level)


@rule("__setitem__")
def setitem(level, call, args, kwargs):
    """``x[index] = value``."""
    self, index, value = args
    index = _plain_lists(_as_tuple(index))
    if any(_is_mask(i) and batched_at(i, level) for i in index):
        if isinstance(value, Tensor) and value.dim() > 0 or len(index) > 1:
            refuse(_DYNAMIC)
        (mask,) = index
        self[...] = _torch.where(mask.reshape((*mask.shape, *[1] * (self.dim() - mask.dim()))), value, self)
        return None
    if any(isinstance(i, Tensor) for i in index) or any(isinstance(i, bool) for i in index):
        return _one_by_one(level, call, self, index, value)
    whole = (slice(None), *index)
    if not batched_at(value, level):
        call(front(self), whole, value)
        return None
    rank = front(self)[whole].dim() - 1
    given = padded(front(value), rank)
    while given.dim() - 1 > rank and given.shape[1] == 1:
        given = given.squeeze(1)
    call(front(self), whole, given)
    return None


def _one_by_one(level, call, self, index, value):
    values = front(self)
    for number in range(level.batch_size):
        part = tuple(front(i)[number] if batched_at(i, level) else i for i in index)
        call(values[number], part, front(value)[number] if batched_at(value, level) else value)


@rule("gather", "take_along_dim")
def gather(level, call, args, kwargs):
    """Elements by their numbers along a dimension."""
    if getattr(call, "__name__", "") == "take_along_dim":
        self, index, dim = bind("self indices dim", args, kwargs, dim=None)
        if dim is None:
            raise Unfit
        dim = shifted(dim, self.dim())
        return wrap(call(all_front(self, level), all_front(index, level), dim), level)
    self, dim, index = bind("self dim index", args, {k: v for k, v in kwargs.items() if k != "sparse_grad"})
    if self.dim() == 0 or index.dim() != self.dim():
        raise Unfit
    return wrap(_torch.gather(all_front(self, level), shifted(dim, self.dim()), all_front(index, level)), level)


@rule("scatter", "scatter_add", "scatter_", "scatter_add_", "scatter_reduce", "scatter_reduce_")
def scatter(level, call, args, kwargs):
    """Elements written by their numbers along a dimension."""
    self, dim, index, *rest = args
    name = getattr(call, "__name__", "")
    in_place = name.endswith("_")
    if self.dim() == 0 or not isinstance(index, Tensor) or index.dim() != self.dim():
        raise Unfit
    if rest and isinstance(rest[0], Tensor):
        if rest[0].dim() != self.dim():
            raise Unfit
        rest[0] = all_front(rest[0], level)
    if any(isinstance(v, Tensor) for v in kwargs.values()):
        kwargs = {k: all_front(v, level) if isinstance(v, Tensor) else v for k, v in kwargs.items()}
    result = call(all_front(self, level), shifted(dim, self.dim()), all_front(index, level), *rest, **kwargs)
    return self if in_place else wrap(result, level)


@rule("index_select")
def index_select(level, call, args, kwargs):
    """Slices by their numbers."""
    self, dim, index = bind("self dim index", args, kwargs)
    if self.dim() == 0 or index.dim() != 1:
        raise Unfit
    if not batched_at(index, level):
        return wrap(call(front(self), shifted(dim, self.dim()), index), level)
    dim = dim % self.dim()
    return self[(slice(None),) * dim + (index,)]


@rule("index_add", "index_copy", "index_fill", "index_add_", "index_copy_", "index_fill_")
def index_write(level, call, args, kwargs):
    """Slices written by their numbers, which are the same for all samples."""
    self, dim, index, source = args
    in_place = getattr(call, "__name__", "").endswith("_")
    if batched_at(index, level) or self.dim() == 0 or isinstance(source, Tensor) and source.dim() != self.dim():
        raise Unfit
    source = all_front(source, level) if isinstance(source, Tensor) else source
    result = call(all_front(self, level), shifted(dim, self.dim()), index, source, **kwargs)
    return self if in_place else wrap(result, level)


@rule("index_put", "index_put_", "_index_put_impl_", "_unsafe_index_put")
def index_put(level, call, args, kwargs):
    """Elements written by their numbers in all dimensions."""
    self, indices, values, *rest = args
    accumulate = rest[0] if rest else kwargs.get("accumulate", False)
    in_place = getattr(call, "__name__", "").endswith("_")
    if not batched_at(self, level):
        self = wrap(all_front(self, level).clone(), level)
    if any(i is None or _is_mask(i) for i in indices):
        raise Unfit
    rank = max(i.dim() for i in indices)
    samples = _torch.arange(level.batch_size).reshape(-1, *[1] * rank)
    found = [padded(front(i), rank) if batched_at(i, level) else i for i in indices]
    shape = len(self.shape) - len(indices) + rank
    if batched_at(values, level):
        values = padded(front(values), shape)
    result = call(front(self), [samples, *found], values, accumulate)
    return args[0] if in_place else wrap(result, level)


@rule("index")
def index(level, call, args, kwargs):
    """Elements by their numbers in all dimensions."""
    self, indices = args
    return self[tuple(slice(None) if i is None else i for i in indices)]


@rule("embedding")
def embedding(level, call, args, kwargs):
    """Rows of a table."""
    weight, numbers, padding, *rest = bind("weight indices padding_idx scale_grad_by_freq sparse", args, kwargs, padding_idx=-1)
    if not batched_at(weight, level):
        return wrap(call(weight, front(numbers), *args[2:], **{k: v for k, v in kwargs.items() if k not in ("weight", "indices")}), level)
    if isinstance(padding, int) and padding >= 0:
        raise Unfit
    value = front(weight)
    if not batched_at(numbers, level):
        return wrap(value[:, numbers], level)
    rows = front(numbers) + (_torch.arange(level.batch_size) * value.shape[1]).reshape(-1, *[1] * numbers.dim())
    return wrap(call(value.reshape(-1, value.shape[-1]), rows), level)


@rule("one_hot")
def one_hot(level, call, args, kwargs):
    """A one at the place that a number says."""
    self, classes = bind("self num_classes", args, kwargs, num_classes=-1)
    if classes == -1:
        refuse(_ONE_HOT)
    return wrap(call(front(self), classes), level)


_ONE_HOT = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please try to "
    "rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch internals, please file a bug report."
)


@rule("bucketize", "searchsorted", "isin")
def searched(level, call, args, kwargs):
    """Numbers looked up in a line that is the same for all samples."""
    if getattr(call, "__name__", "") == "searchsorted":
        line, numbers = args[0], args[1]
    else:
        numbers, line = args[0], args[1]
    if isinstance(line, Tensor) and (batched_at(line, level) or line.dim() != 1) or not isinstance(numbers, Tensor):
        raise Unfit
    args = [front(a) if batched_at(a, level) else a for a in args]
    return wrap(call(*args, **kwargs), level)
