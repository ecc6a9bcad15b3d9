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


def _rebuild_of_class(function, kind, args, state):
    out = function(*args).as_subclass(kind)
    vars(out).update(state)
    return out


def _reduce_of_class(self, protocol):
    """A tensor of a class that a program defines: the tensor, the class, and the attributes that it was given."""
    function, args = _reduce(self)
    return _rebuild_of_class, (function, type(self), args, dict(vars(self)))


_reduce_of_class.__name__ = _reduce_of_class.__qualname__ = "__reduce_ex__"
_rushlight.Tensor.__reduce_ex__ = _reduce_of_class


def _restore_packed(state):
    from . import _packed

    return _packed.restore(state)


def _reduce_object(object):
    from . import _packed

    return _restore_packed, (_packed.pair(object),)


copyreg.pickle(_rushlight.ScriptObject, _reduce_object)
