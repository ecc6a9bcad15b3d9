"""``vmap``, ``grad`` and ``grad_and_value`` as programs call them."""

import functools

from .vmap import _check_out_dims_is_int_or_int_pytree, _check_randomness_arg, _chunked_vmap, _process_batched_inputs  # noqa: F401
from .vmap import get_chunk_sizes, tree_flatten, vmap_impl


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """A function of all samples from a function of one.

    Args:
        func: takes and returns tensors, alone or in nested tuples, lists and dictionaries.
        in_dims: the dimension of each argument that counts the samples, or None where it is the same for all.
        out_dims: where the samples are counted in the results.
        randomness: ``"error"`` refuses random operators, ``"same"`` draws once, ``"different"`` draws for each sample.
        chunk_size: how many samples are worked on at a time; all of them unless given.

    Most operators are called once for all samples. Those without a rule of their own are called sample by sample, which is
    exact but takes as long as a loop. What decides by elements (``if``, ``.item()``) is refused.
    """
    _check_randomness_arg(randomness)
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    def wrapped(*args, **kwargs):
        return vmap_impl(func, in_dims, out_dims, randomness, chunk_size, *args, **kwargs)

    return _as(wrapped, func)


def _as(wrapped, func):
    return functools.wraps(func)(wrapped) if hasattr(func, "__name__") else functools.update_wrapper(
        wrapped, func, assigned=("__doc__",), updated=()
    )


def chunk_vmap(func, in_dims=0, out_dims=0, randomness="error", chunks=2):
    """:func:`vmap` in so many parts."""
    _check_randomness_arg(randomness)
    if chunks == 1:
        return vmap(func, in_dims=in_dims, out_dims=out_dims, randomness=randomness)

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        _check_out_dims_is_int_or_int_pytree(out_dims, func)
        size = _process_batched_inputs(in_dims, args, func)[0]
        return vmap_impl(func, in_dims, out_dims, randomness, -(-size // chunks), *args, **kwargs)

    return wrapped


def grad(func, argnums=0, has_aux=False):
    """A function that gives the gradient of ``func``, which returns one number.

    Args:
        func: takes tensors, alone or nested, and returns a tensor with one element and no dimensions.
        argnums: the number of the argument to differentiate, or a tuple of them.
        has_aux: ``func`` returns a pair, of which the second part is handed on.
    """
    from . import eager_transforms

    def wrapped(*args, **kwargs):
        return eager_transforms.grad_impl(func, argnums, has_aux, args, kwargs)

    return _as(wrapped, func)


def grad_and_value(func, argnums=0, has_aux=False):
    """As :func:`grad`; the function gives the gradient and what ``func`` returned."""
    from . import eager_transforms

    def wrapped(*args, **kwargs):
        return eager_transforms.grad_and_value_impl(func, argnums, has_aux, args, kwargs)

    return _as(wrapped, func)


__all__ = ["chunk_vmap", "get_chunk_sizes", "grad", "grad_and_value", "tree_flatten", "vmap"]
