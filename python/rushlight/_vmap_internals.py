"""``torch._vmap_internals``: functions on all samples at once, as programs took them before ``torch.vmap``."""

import functools
import warnings

from ._functorch import _levels
from ._functorch._interpose import interposed
from ._functorch.vmap import _create_batched_inputs, _get_name, _process_batched_inputs, _remove_batch_dim
from ._rushlight import Tensor


def vmap(func, in_dims=0, out_dims=0):
    """The older form of :func:`rushlight.vmap`."""
    warnings.warn(
        "Please use `torch.vmap` instead of `torch._vmap_internals.vmap`.", category=FutureWarning, stacklevel=2
    )
    return _vmap(func, in_dims, out_dims)


def _validate_outputs(outputs, func):
    """Raises ``ValueError`` unless the results are a tensor or a tuple of tensors."""
    if isinstance(outputs, Tensor):
        return
    if not isinstance(outputs, tuple):
        raise ValueError(
            f"vmap({_get_name(func)}, ...): `{_get_name(func)}` must only return Tensors, got type {type(outputs)} as the return."
        )
    for i, each in enumerate(outputs):
        if not isinstance(each, Tensor):
            raise ValueError(
                f"vmap({_get_name(func)}, ...): `{_get_name(func)}` must only return Tensors, got type {type(each)} for return {i}."
            )


def _vmap(func, in_dims=0, out_dims=0, allow_none_pass_through=False):
    """A function of all samples, made of a function of one. Random numbers are an error, as by ``torch.vmap``.

    Args:
        func: takes and gives tensors (or tuples of them).
        in_dims: the dimensions that count the samples in its arguments; None for one that all samples share.
        out_dims: the dimensions that count them in its results.
        allow_none_pass_through: results may be None, and stay so.
    """

    @functools.wraps(func)
    def wrapped(*args):
        whole = isinstance(out_dims, int)
        if not whole and not (isinstance(out_dims, tuple) and all(isinstance(each, int) for each in out_dims)):
            raise ValueError(
                f"vmap({_get_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int or a tuple of int representing where in "
                "the outputs the vmapped dimension should appear."
            )
        alone, there = False, ()

        def checked(*samples):
            nonlocal alone, there
            outputs = func(*samples)
            if not allow_none_pass_through:
                _validate_outputs(outputs, func)
            alone = not isinstance(outputs, tuple)
            outputs = (outputs,) if alone else outputs
            there = tuple(each is not None for each in outputs)
            if not whole and len(out_dims) != len(outputs):
                raise ValueError(
                    f"vmap({_get_name(func)}, ..., out_dims={out_dims}): `out_dims` must have one dim per output (got {len(outputs)} "
                    f"outputs) of {_get_name(func)}."
                )
            return tuple((each, out_dims if whole else out_dims[i]) for i, each in enumerate(outputs) if each is not None)

        found = iter(_mapped(checked, in_dims, args, func))
        outputs = tuple(next(found) if each else None for each in there)
        return outputs[0] if alone else outputs

    return wrapped


def _mapped(checked, in_dims, args, func):
    """The results of all samples; ``checked`` gives each result of one with the dimension that counts the samples in it."""
    size, flat_in_dims, flat_args, spec = _process_batched_inputs(in_dims, args, func)
    with interposed(), _levels.entered("vmap", size, "error") as level:
        found = checked(*_create_batched_inputs(flat_in_dims, flat_args, level.number, spec))
        return [_remove_batch_dim(each, level.number, size, dim) for each, dim in found]
