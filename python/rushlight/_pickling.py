"""Tensors through ``pickle`` and ``copy``: their elements in order, with dtype, sizes and whether they ask for gradients. Packed parameters too."""

import copyreg

from . import _rushlight


def _rebuild(data, dtype, sizes, requires_grad):
    tensor = _rushlight.tensor_from_bytes(data, _rushlight.dtype(dtype), sizes)
    tensor.requires_grad = requires_grad
    return tensor


def _rebuild_quantized(integers, scheme):
    import rushlight as torch

    scale, zero_point, *axis = scheme
    if axis:
        return torch._make_per_channel_quantized_tensor(integers, scale, zero_point, axis[0])
    return torch._make_per_tensor_quantized_tensor(integers, scale, zero_point)


def _reduce(tensor):
    if tensor.is_quantized:
        from .serialization import _scheme

        return _rebuild_quantized, (tensor.int_repr(), _scheme(tensor)[1:])
    return _rebuild, (_rushlight.tensor_bytes(tensor), tensor.dtype.name, tuple(tensor.shape), tensor.requires_grad)


copyreg.pickle(_rushlight.Tensor, _reduce)


def _restore_packed(state):
    from . import _packed

    return _packed.restore(state)


def _reduce_object(object):
    from . import _packed

    return _restore_packed, (_packed.pair(object),)


copyreg.pickle(_rushlight.ScriptObject, _reduce_object)
