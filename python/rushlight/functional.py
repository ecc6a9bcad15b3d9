"""``torch.functional``: functions whose arguments or results say which operator is meant. Other names are operators.

They are for Python; a script that names them gets the operator of that name.
"""

import importlib
from collections.abc import Sequence

from . import _rushlight
from ._functional import cdist, norm, stft, tensordot  # noqa: F401
from ._names import NAMES, Size
from ._rushlight import Tensor
from ._unique import unique, unique_consecutive  # noqa: F401


def _operator(name):
    return _rushlight.Builtin("aten::" + name, "torch." + name)


def _traced_broadcast(shapes):
    """The same in a trace, where lengths are tensors: tensors of these shapes say it, so that the trace holds for others."""
    scalar = _operator("zeros")((), device="cpu")
    tensors = [scalar.expand((shape,) if isinstance(shape, int) else shape) for shape in shapes]
    return _operator("broadcast_tensors")(tensors)[0].shape


def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to."""
    if _rushlight.is_tracing():
        return _traced_broadcast(shapes)
    together = []
    for index, shape in enumerate(shapes):
        if isinstance(shape, int):
            shape = (shape,)
        if not isinstance(shape, (tuple, list)) or not all(isinstance(length, int) for length in shape):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}")
        if any(length < 0 for length in shape):
            raise ValueError("Attempting to broadcast a dimension with negative length!")
        together = [1] * (len(shape) - len(together)) + together
        for dim in range(-1, -1 - len(shape), -1):
            if together[dim] == 1:
                together[dim] = shape[dim]
            elif shape[dim] not in (1, together[dim]):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[dim]} at {dim}! Mismatching argument at index "
                    f"{index} had {shape!s}; but expected shape should be broadcastable to {together}"
                )
    return Size(together)


def unravel_index(indices, shape):
    """Where elements lie whose numbers in a tensor of a shape are known: a tensor for each dimension.

    Raises:
        TypeError: if ``indices`` are no integers or ``shape`` is none.
        ValueError: for negative sizes, and for indices into nothing.
    """
    if indices.is_complex() or indices.is_floating_point() or indices.dtype == NAMES["bool"]:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    if indices.numel() and 0 in sizes:
        raise ValueError(f"'shape' cannot have zero dimensions when 'indices' is non-empty, but got {sizes}")
    rest, found = indices.to(NAMES["int64"]), []
    for size in reversed(sizes):
        # Without indices a size may be 0.
        size = size or 1
        found.append(rest % size)
        rest = rest.div(size, rounding_mode="floor")
    # The numbers of an element lie side by side.
    return _operator("stack")(tuple(reversed(found)), -1).unbind(-1) if found else ()


def _method(function):
    def method(self, *arguments, **named):
        return function(self, *arguments, **named)

    method.__name__, method.__doc__ = function.__name__, function.__doc__
    return method


for _name in ("norm", "stft", "unique", "unique_consecutive"):
    setattr(Tensor, _name, _method(globals()[_name]))
del _name


def __getattr__(name):
    """The operator of a name."""
    if name in ("lu", "pca_lowrank", "svd_lowrank"):
        return getattr(importlib.import_module(__package__), name)
    if name.startswith("__") or not _rushlight.has_operator("aten::" + name):
        raise AttributeError(f"module 'torch.functional' has no attribute '{name}'")
    return _operator(name)
