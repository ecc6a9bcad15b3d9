"""Operators that change how elements are arranged, and those that put tensors together."""

import math

import rushlight as _torch

from ._common import MISSING, Tensor, Unfit, all_front, batched_at, bind, front, numbers, padded, refuse, rule, shifted, wrap


@rule("view", "reshape")
def reshape(level, call, args, kwargs):
    """New sizes."""
    if kwargs or (len(args) == 2 and not isinstance(args[1], (int, tuple, list))):
        if set(kwargs) - {"shape", "size"} or len(args) != 1:
            if len(args) == 2 and not kwargs and not isinstance(args[1], Tensor):
                # Elements read as another dtype.
                if args[0].value.itemsize == args[1].itemsize:
                    return wrap(call(args[0].value, args[1]), level, args[0].bdim)
            raise Unfit
        sizes = list(next(iter(kwargs.values())))
    else:
        sizes = numbers(args, 1)
    value = front(args[0])
    if -1 in sizes:
        known = -math.prod(sizes)
        count = args[0].numel()
        if sizes.count(-1) > 1 or known <= 0 or count % known:
            return wrap(value.reshape(level.batch_size, *sizes), level)
        sizes[sizes.index(-1)] = count // known
    return wrap(value.reshape(level.batch_size, *sizes), level)


@rule("expand", "broadcast_to")
def expand(level, call, args, kwargs):
    """Sizes of 1 made larger."""
    if set(kwargs) - {"size"}:
        raise Unfit
    sizes = list(kwargs["size"]) if kwargs else numbers(args, 1)
    if len(sizes) < args[0].dim():
        raise Unfit
    value = padded(front(args[0]), len(sizes))
    return wrap(value.expand(level.batch_size, *sizes), level)


@rule("permute")
def permute(level, call, args, kwargs):
    """Dimensions in another order."""
    dims = list(kwargs["dims"]) if kwargs else numbers(args, 1)
    return wrap(front(args[0]).permute(0, *shifted(dims, args[0].dim())), level)


@rule("transpose", "swapaxes", "swapdims")
def transpose(level, call, args, kwargs):
    """Two dimensions exchanged."""
    if kwargs and "self" not in kwargs and "input" not in kwargs:
        args = [*args, *kwargs.values()]
    self, one, two = args
    if self.dim() == 0:
        return self
    rank = self.dim()
    return wrap(front(self).transpose(shifted(one, rank), shifted(two, rank)), level)


@rule("t", "numpy_T", "matrix_H", "mT", "mH", "adjoint")
def turned(level, call, args, kwargs):
    """Matrices turned over."""
    (self,) = args
    rank = self.dim()
    value = front(self)
    name = getattr(call, "__name__", "")
    if rank == 2:
        turned = value.transpose(1, 2)
        return wrap(turned.conj() if name in ("adjoint", "matrix_H", "mH", "H") else turned, level)
    if rank < 2 and name in ("t", "T", "numpy_T"):
        return self
    raise Unfit


@rule("movedim", "moveaxis")
def movedim(level, call, args, kwargs):
    """Dimensions at other places."""
    self, source, destination = bind("self source destination", args, kwargs)
    rank = self.dim()
    return wrap(front(self).movedim(shifted(source, rank), shifted(destination, rank)), level)


@rule("squeeze")
def squeeze(level, call, args, kwargs):
    """Dimensions of size 1 left out."""
    self, dim = bind("self dim", args, kwargs)
    rank, value = self.dim(), front(self)
    if dim is MISSING:
        dims = [i + 1 for i, n in enumerate(self.shape) if n == 1]
    elif rank == 0:
        return self
    else:
        dims = shifted([dim] if isinstance(dim, int) else dim, rank)
    dims = [d for d in dims if value.shape[d] == 1]
    return wrap(value.squeeze(dims) if dims else value.view_as(value), level)


@rule("unsqueeze")
def unsqueeze(level, call, args, kwargs):
    """A dimension of size 1 more."""
    self, dim = bind("self dim", args, kwargs)
    return wrap(front(self).unsqueeze(shifted(dim, self.dim() + 1)), level)


@rule("flatten", "ravel")
def flatten(level, call, args, kwargs):
    """Dimensions made one."""
    self, start, end = bind("self start_dim end_dim", args, kwargs, start_dim=0, end_dim=-1)
    value, rank = front(self), self.dim()
    if rank == 0:
        return wrap(value.unsqueeze(1), level)
    return wrap(value.flatten(shifted(start, rank), shifted(end, rank)), level)


@rule("unflatten")
def unflatten(level, call, args, kwargs):
    """One dimension made several."""
    self, dim, sizes = bind("self dim sizes", args, kwargs)
    return wrap(front(self).unflatten(shifted(dim, self.dim()), sizes), level)


@rule("select", "unbind", "split", "chunk", "split_with_sizes", "tensor_split", "narrow", "unsafe_split", "unsafe_chunk")
def parts(level, call, args, kwargs):
    """Parts along a dimension."""
    name = getattr(call, "__name__", "")
    if any(isinstance(a, Tensor) for a in args[1:]):
        raise Unfit
    if name in ("select", "narrow"):
        names = "self dim index" if name == "select" else "self dim start length"
        self, dim, *rest = bind(names, args, kwargs)
    elif name == "unbind":
        self, dim = bind("self dim", args, kwargs, dim=0)
        rest = []
    else:
        self, size, dim = bind("self size dim", args, {_SIZES.get(k, k): v for k, v in kwargs.items()}, dim=0)
        if self.dim() == 0:
            raise Unfit
        return wrap(tuple(call(front(self), size, shifted(dim, self.dim()))), level)
    if self.dim() == 0:
        raise Unfit
    return wrap(call(front(self), shifted(dim, self.dim()), *rest), level)


_SIZES = {"split_size_or_sections": "size", "split_size": "size", "split_sizes": "size", "chunks": "size", "indices_or_sections": "size",
          "sections": "size", "indices": "size"}


@rule("repeat", "tile")
def repeat(level, call, args, kwargs):
    """Copies side by side."""
    if kwargs:
        raise Unfit
    counts = numbers(args, 1)
    self = args[0]
    if len(counts) < self.dim():
        if getattr(call, "__name__", "") != "tile":
            raise Unfit
        counts = [1] * (self.dim() - len(counts)) + counts
    return wrap(padded(front(self), len(counts)).repeat(1, *counts), level)


@rule("flip", "roll", "rot90", "fliplr", "flipud")
def turned_round(level, call, args, kwargs):
    """Dimensions read backwards or turned round."""
    name = getattr(call, "__name__", "")
    self, rank = args[0], args[0].dim()
    value = front(self)
    if rank == 0:
        raise Unfit
    if name == "flip":
        dims = list(kwargs["dims"]) if kwargs else numbers(args, 1)
        return wrap(value.flip(shifted(dims, rank)), level)
    if name == "roll":
        self, shifts, dims = bind("self shifts dims", args, kwargs)
        if dims is MISSING or dims == ():
            return wrap(value.flatten(1).roll(shifts, 1).reshape(value.shape), level)
        return wrap(value.roll(shifts, shifted(dims, rank)), level)
    raise Unfit


@rule("tril", "triu")
def triangles(level, call, args, kwargs):
    """Half of a matrix."""
    if args[0].dim() < 2:
        raise Unfit
    return wrap(call(front(args[0]), *args[1:], **kwargs), level)


@rule("diagonal", "diag", "diag_embed", "trace", "linalg_diagonal")
def diagonals(level, call, args, kwargs):
    """Diagonals of matrices, and matrices of diagonals."""
    name = getattr(call, "__name__", "")
    self, rank, value = args[0], args[0].dim(), front(args[0])
    if name == "trace" and rank == 2:
        return wrap(value.diagonal(0, 1, 2).sum(-1), level)
    if name == "diag" and rank in (1, 2):
        self, offset = bind("self diagonal", args, kwargs, diagonal=0)
        return wrap(value.diag_embed(offset) if rank == 1 else value.diagonal(offset, 1, 2), level)
    if name == "diagonal":
        self, offset, one, two = bind("self offset dim1 dim2", args, kwargs, offset=0, dim1=0, dim2=1)
        return wrap(value.diagonal(offset, shifted(one, rank), shifted(two, rank)), level)
    if name == "diag_embed":
        self, offset, one, two = bind("self offset dim1 dim2", args, kwargs, offset=0, dim1=-2, dim2=-1)
        return wrap(value.diag_embed(offset, shifted(one, rank + 1), shifted(two, rank + 1)), level)
    raise Unfit


@rule("unfold")
def unfold(level, call, args, kwargs):
    """Windows along a dimension."""
    self, dim, size, step = bind("self dimension size step", args, kwargs)
    if self.dim() == 0:
        raise Unfit
    return wrap(front(self).unfold(shifted(dim, self.dim()), size, step), level)


@rule("repeat_interleave")
def repeat_interleave(level, call, args, kwargs):
    """Every element several times."""
    self, repeats, dim = bind("self repeats dim", args, {k: v for k, v in kwargs.items() if k != "output_size"}, dim=None)
    if not isinstance(repeats, int) or self.dim() == 0:
        raise Unfit
    value = front(self)
    if dim is None:
        value, dim = value.flatten(1), 0
    return wrap(value.repeat_interleave(repeats, shifted(dim, max(self.dim(), 1))), level)


def _list(args, kwargs, name="tensors"):
    return list(args[0] if args else kwargs[name])


@rule("cat", "concat", "concatenate")
def cat(level, call, args, kwargs):
    """Tensors one after the other."""
    tensors, dim = _list(args, kwargs), args[1] if len(args) > 1 else kwargs.get("dim", kwargs.get("axis", 0))
    rank = max(t.dim() for t in tensors)
    if any(t.dim() == 0 for t in tensors):
        raise Unfit
    # An empty line may stand anywhere.
    tensors = [t for t in tensors if t.dim() == rank or tuple(t.shape) != (0,)]
    return wrap(_torch.cat([all_front(t, level) for t in tensors], shifted(dim, rank)), level)


@rule("stack")
def stack(level, call, args, kwargs):
    """Tensors side by side in a new dimension."""
    tensors, dim = _list(args, kwargs), args[1] if len(args) > 1 else kwargs.get("dim", kwargs.get("axis", 0))
    return wrap(_torch.stack([all_front(t, level) for t in tensors], shifted(dim, tensors[0].dim() + 1)), level)


@rule("hstack", "vstack", "dstack", "row_stack", "column_stack")
def stacks(level, call, args, kwargs):
    """Tensors put together by their place."""
    tensors = [t if batched_at(t, level) else wrap(all_front(t, level), level) for t in _list(args, kwargs)]
    name = getattr(call, "__name__", "")
    if name == "hstack":
        tensors = [t.reshape(1) if t.dim() == 0 else t for t in tensors]
        return _torch.cat(tensors, 0 if tensors[0].dim() == 1 else 1)
    if name in ("vstack", "row_stack"):
        return _torch.cat([t.reshape(1, -1) if t.dim() < 2 else t for t in tensors], 0)
    if name == "column_stack":
        return _torch.cat([t.reshape(-1, 1) if t.dim() < 2 else t for t in tensors], 1)
    raise Unfit


@rule("broadcast_tensors")
def broadcast_tensors(level, call, args, kwargs):
    """Tensors in the sizes that they have together."""
    tensors = list(args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args)
    shape = _torch.broadcast_shapes(*[t.shape for t in tensors])
    return tuple(t.expand(shape) for t in tensors)


@rule("atleast_1d", "atleast_2d", "atleast_3d")
def atleast(level, call, args, kwargs):
    """At least so many dimensions."""
    (self,) = args
    if not batched_at(self, level):
        raise Unfit
    wanted = int(getattr(call, "__name__", "0d")[-2:-1])
    if self.dim() >= wanted:
        return self
    if wanted == 3 and self.dim() > 0:
        return self.unsqueeze(-1) if self.dim() == 2 else self.unsqueeze(0).unsqueeze(-1)
    return self.reshape((*[1] * (wanted - self.dim()), *self.shape))


@rule("pad", "constant_pad_nd")
def pad(level, call, args, kwargs):
    """More elements around."""
    mode = kwargs.get("mode", args[2] if len(args) > 2 and isinstance(args[2], str) else "constant")
    self = args[0]
    value = front(self)
    amounts = args[1] if len(args) > 1 else kwargs["pad"]
    if len(amounts) // 2 > self.dim():
        raise Unfit
    if mode == "constant":
        return wrap(call(value, *args[1:], **kwargs), level)
    from .layers import folded

    return folded(level, call, args, kwargs, len(amounts) // 2)


@rule("view_as_real", "view_as_complex")
def as_complex(level, call, args, kwargs):
    """Pairs of numbers as complex ones, and back."""
    return wrap(call(front(args[0])), level)


@rule("new_zeros", "new_ones", "new_full", "new_empty")
def new(level, call, args, kwargs):
    """New tensors: each sample has its own."""
    self = args[0]
    if not batched_at(self, level):
        raise Unfit
    name = getattr(call, "__name__", "")
    if name == "new_full":
        self, sizes, *rest = bind("self size fill_value", args, {k: v for k, v in kwargs.items() if k in ("size", "fill_value")})
        kwargs = {k: v for k, v in kwargs.items() if k not in ("size", "fill_value")}
    else:
        sizes, rest = (kwargs["size"] if "size" in kwargs else numbers(args, 1)), []
        kwargs = {k: v for k, v in kwargs.items() if k != "size"}
    return wrap(getattr(self.value, name)([level.batch_size, *sizes], *rest, **kwargs), level)


@rule("meshgrid")
def meshgrid(level, call, args, kwargs):
    """The places of a grid, from the places along each side."""
    lines = list(args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args)
    if any(line.dim() > 1 for line in lines):
        raise Unfit
    sizes = [line.numel() for line in lines]
    found = []
    for place, line in enumerate(lines):
        shape = [1] * len(lines)
        shape[place] = sizes[place]
        found.append(line.reshape(shape).expand(sizes))
    if kwargs.get("indexing", "ij") == "xy" and len(lines) > 1:
        return tuple(part.transpose(0, 1) for part in found)
    return tuple(found)


@rule("t_", "transpose_", "swapaxes_", "swapdims_", "unsqueeze_", "squeeze_", "detach_", "resize_")
def in_place(level, call, args, kwargs):
    """The tensor itself gets other sizes."""
    self, *rest = args
    name = getattr(call, "__name__", "")
    if name == "resize_":
        sizes = numbers(args, 1)
        value, count = front(self).flatten(1), math.prod(sizes)
        if count > value.shape[1]:
            refuse("resize_: batching rule only supports None memory format and sizes that do not grow")
        found = wrap(value[:, :count].reshape(level.batch_size, *sizes), level)
    else:
        found = getattr(self, name[:-1])(*rest, **kwargs)
    self.value, self.bdim = found.value, found.bdim
    return self


@rule("as_strided_", "set_", "resize_as_", "swap_")
def refused(level, call, args, kwargs):
    """What gives a tensor other memory."""
    refuse(
        f"Batching rule not implemented for aten::{getattr(call, '__name__', '')}; the fallback path doesn't work on out= or view ops."
    )
