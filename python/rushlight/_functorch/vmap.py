"""Functions of one sample, run on all samples at once."""

import functools

from .. import _rushlight
from ..utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_unflatten
from . import _levels
from ._batched import Batched, batched_at
from ._interpose import interposed

Tensor = _rushlight.Tensor

_RANDOMNESS = ("error", "different", "same")


def _get_name(func):
    if isinstance(func, functools.partial):
        return f"functools.partial({_get_name(func.func)}, ...)"
    return getattr(func, "__name__", None) or repr(func)


def _as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def _validate_and_get_batch_size(flat_in_dims, flat_args):
    """How many samples there are: every tensor that is mapped over must have as many."""
    sizes = [arg.size(dim) for dim, arg in zip(flat_in_dims, flat_args) if dim is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped dimension"
        )
    return sizes[0]


def _process_batched_inputs(in_dims, args, func):
    """The number of samples, the dimension that counts them in each leaf of the arguments, the leaves and their tree."""
    name = _get_name(func)
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially nested) tuple matching "
            f"the structure of inputs, got: {type(in_dims)}."
        )
    if len(args) == 0:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function with "
            "no inputs. The latter is unsupported."
        )
    flat_args, spec = tree_flatten(args)
    flat_in_dims = _broadcast_to_and_flatten(in_dims, spec)
    if flat_in_dims is None:
        raise ValueError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of `inputs`. in_dims has "
            f"structure {tree_flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    for i, (arg, dim) in enumerate(zip(flat_args, flat_in_dims)):
        where = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
        if not isinstance(dim, int) and dim is not None:
            raise ValueError(where + f"Got in_dim={dim} for an input but in_dim must be either an integer dimension or None.")
        if isinstance(dim, int) and not isinstance(arg, Tensor):
            raise ValueError(
                where + f"Got in_dim={dim} for an input but the input is of type {type(arg)}. We cannot vmap over non-Tensor "
                "arguments, please use None as the respective in_dim"
            )
        if dim is not None and not -arg.dim() <= dim < arg.dim():
            raise ValueError(
                where + f"Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {arg.dim()} so expected "
                f"in_dim to satisfy -{arg.dim()} <= in_dim < {arg.dim()}."
            )
        if dim is not None and dim < 0:
            flat_in_dims[i] = dim % arg.dim()
    return _validate_and_get_batch_size(flat_in_dims, flat_args), flat_in_dims, flat_args, spec


def _add_batch_dim(tensor, batch_dim, level):
    """A tensor as samples of a level, counted by a dimension."""
    return Batched(tensor, batch_dim % tensor.dim(), _levels.numbered(level))


def _create_batched_inputs(flat_in_dims, flat_args, vmap_level, args_spec):
    flat = [arg if dim is None else _add_batch_dim(arg, dim, vmap_level) for dim, arg in zip(flat_in_dims, flat_args)]
    return tree_unflatten(flat, args_spec)


def _maybe_remove_batch_dim(name, output, vmap_level, batch_size, out_dim):
    if out_dim is None:
        if batched_at(output, _levels.numbered(vmap_level)):
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return output
    if not isinstance(output, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(output)}. Did you mean to set out_dims= to None "
            "for output?"
        )
    return _remove_batch_dim(output, vmap_level, batch_size, out_dim)


def _remove_batch_dim(output, level, batch_size, out_dim):
    """All samples of a level in one tensor, counted by a dimension."""
    level = _levels.numbered(level)
    rank = output.dim() + 1
    if not -rank <= out_dim < rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {out_dim})")
    if not batched_at(output, level):
        output = output.unsqueeze(0).expand(batch_size, *output.shape)
        return output.movedim(0, out_dim) if out_dim % rank else output
    if out_dim % rank == output.bdim:
        return output.value
    return output.value.movedim(output.bdim, out_dim)


def _unwrap_batched(outputs, out_dims, vmap_level, batch_size, func):
    name = _get_name(func)
    flat, spec = tree_flatten(outputs)

    def incompatible():
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of `outputs`. out_dims "
            f"has structure {tree_flatten(out_dims)[1]} but outputs has structure {spec}."
        )

    if isinstance(outputs, Tensor):
        # One tensor takes a number, or a tuple of one.
        if isinstance(out_dims, int) or out_dims is None:
            dims = [out_dims]
        elif isinstance(out_dims, tuple) and len(out_dims) == 1:
            dims = list(out_dims)
        else:
            incompatible()
    else:
        dims = _broadcast_to_and_flatten(out_dims, spec)
        if dims is None:
            incompatible()
    return tree_unflatten([_maybe_remove_batch_dim(name, o, vmap_level, batch_size, d) for o, d in zip(flat, dims)], spec)


def _check_out_dims_is_int_or_int_pytree(out_dims, func):
    if isinstance(out_dims, int):
        return
    for dim in tree_flatten(out_dims)[0]:
        if dim is not None and not isinstance(dim, int):
            raise ValueError(
                f"vmap({_get_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
                "representing where in the outputs the vmapped dimension should appear."
            )


def _check_randomness_arg(randomness):
    if randomness not in _RANDOMNESS:
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")


def _flat_vmap(func, batch_size, flat_in_dims, flat_args, spec, out_dims, randomness, **kwargs):
    with interposed(), _levels.entered("vmap", batch_size, randomness) as level:
        outputs = func(*_create_batched_inputs(flat_in_dims, flat_args, level.number, spec), **kwargs)
        return _unwrap_batched(outputs, out_dims, level.number, batch_size, func)


def get_chunk_sizes(total_elems, chunk_size):
    """The sizes of the parts of a number: the last may be smaller."""
    whole, rest = divmod(total_elems, chunk_size)
    return [chunk_size] * whole + ([rest] if rest else [])


def _get_chunked_inputs(flat_args, flat_in_dims, batch_size, chunk_size):
    sizes = [batch_size] if chunk_size is None else get_chunk_sizes(batch_size, chunk_size)
    parts = [[arg] * len(sizes) if dim is None else arg.split(sizes, dim) for arg, dim in zip(flat_args, flat_in_dims)]
    return zip(*parts)


def _concat_chunked_outputs(out_dims, spec, chunks):
    import rushlight

    dims = [out_dims] if isinstance(out_dims, int) and spec.is_leaf() else _broadcast_to_and_flatten(out_dims, spec)
    return [
        column[0] if dim is None else rushlight.cat(list(column), dim if dim >= 0 else dim % column[0].dim())
        for dim, column in zip(dims, zip(*chunks))
    ]


def _chunked_vmap(func, flat_in_dims, chunks, spec, out_dims, randomness, **kwargs):
    results, out_spec = [], None
    state = _rushlight.default_generator().get_state() if randomness == "same" else None
    for flat_args in chunks:
        if state is not None:
            _rushlight.default_generator().set_state(state)
        size = _validate_and_get_batch_size(flat_in_dims, flat_args)
        found = _flat_vmap(func, size, flat_in_dims, list(flat_args), spec, out_dims, randomness, **kwargs)
        flat, out_spec = tree_flatten(found)
        results.append(flat)
    return tree_unflatten(_concat_chunked_outputs(out_dims, out_spec, results), out_spec)


def vmap_impl(func, in_dims, out_dims, randomness, chunk_size, *args, **kwargs):
    """Runs a function on all samples of its arguments, in parts of ``chunk_size`` samples where that is given."""
    _check_out_dims_is_int_or_int_pytree(out_dims, func)
    size, flat_in_dims, flat_args, spec = _process_batched_inputs(in_dims, args, func)
    if chunk_size is not None:
        chunks = _get_chunked_inputs(flat_args, flat_in_dims, size, chunk_size)
        return _chunked_vmap(func, flat_in_dims, chunks, spec, out_dims, randomness, **kwargs)
    return _flat_vmap(func, size, flat_in_dims, flat_args, spec, out_dims, randomness, **kwargs)


def wrap_batched(args, bdims, level):
    """Arguments as samples of a level, and how many there are."""
    flat, spec = tree_flatten(args)
    dims = _broadcast_to_and_flatten(bdims, spec)
    size = _validate_and_get_batch_size(dims, flat)
    return _create_batched_inputs(dims, flat, level, spec), size


def unwrap_batched(args, level):
    """Results of samples as tensors of all, and the dimension of each that counts them (None where all are the same)."""
    level = _levels.numbered(level)
    flat, spec = tree_flatten(args)
    values = [leaf.value if batched_at(leaf, level) else leaf for leaf in flat]
    dims = [leaf.bdim if batched_at(leaf, level) else None for leaf in flat]
    return tree_unflatten(values, spec), tree_unflatten(dims, spec)


def restore_vmap(func, in_dims, batch_size, randomness):
    """A function on all samples that gives its results and the dimensions that count the samples in them."""

    def inner(*args, **kwargs):
        with interposed(), _levels.entered("vmap", batch_size, randomness) as level:
            flat, spec = tree_flatten(args)
            dims = _broadcast_to_and_flatten(in_dims, spec)
            return unwrap_batched(func(*_create_batched_inputs(dims, flat, level, spec), **kwargs), level)

    return inner


def is_batchedtensor(tensor):
    """Whether a tensor stands for one sample."""
    return type(tensor) is Batched
