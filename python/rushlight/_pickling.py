"""Tensors through ``pickle`` and ``copy``: their elements in order, with dtype, sizes and whether they ask for gradients."""

import copyreg

from . import _rushlight


def _rebuild(data, dtype, sizes, requires_grad):
    tensor = _rushlight.tensor_from_bytes(data, _rushlight.dtype(dtype), sizes)
    tensor.requires_grad = requires_grad
    return tensor


def _reduce(tensor):
    return _rebuild, (_rushlight.tensor_bytes(tensor), tensor.dtype.name, tuple(tensor.shape), tensor.requires_grad)


copyreg.pickle(_rushlight.Tensor, _reduce)
