"""Tensors beside NumPy arrays: one as the other, and what NumPy does with tensors that it meets."""

from . import _rushlight
from ._functions import from_numpy

Tensor = _rushlight.Tensor


def __array__(self, dtype=None):
    """The tensor as an array: over its memory unless another type is asked for."""
    array = self.numpy()
    return array if dtype is None else array.astype(dtype, copy=False)


def __array_wrap__(self, array):
    """What NumPy has computed with a tensor in it becomes a tensor; truth values become bytes."""
    if array.dtype == bool:
        array = array.astype("uint8")
    return from_numpy(array)


def __reversed__(self):
    """The tensor with its first dimension backwards."""
    return self if self.dim() == 0 else self.flip(0)


# NumPy leaves operators to tensors rather than making arrays of them.
Tensor.__array_priority__ = 1000
Tensor.__array__ = __array__
Tensor.__array_wrap__ = __array_wrap__
Tensor.__reversed__ = __reversed__
