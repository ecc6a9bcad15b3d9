"""Tensors through ``pickle`` and ``copy``: in PyTorch's words, by storage and layout; those of dtypes that have no storage there by their
elements. Packed parameters too. Pickles of earlier versions say ``_rebuild_sizes`` and ``_rebuild_view``."""

import collections
import copyreg

from . import _names, _rushlight


def _rebuild(data, dtype, sizes, requires_grad):
    tensor = _rushlight.tensor_from_bytes(data, _rushlight.dtype(dtype), sizes)
    tensor.requires_grad = requires_grad
    return tensor


def _rebuild_part(data, dtype, offset, sizes, strides, requires_grad):
    dtype = _rushlight.dtype(dtype)
    whole = _rushlight.tensor_from_bytes(data, dtype, (len(data) // dtype.itemsize,))
    tensor = whole.as_strided(sizes, strides, offset).detach()
    tensor.requires_grad = requires_grad
    return tensor


def _rebuild_sizes(dtype, sizes, strides, requires_grad):
    import rushlight as torch

    out = torch.empty_strided(sizes, strides, dtype=_rushlight.dtype(dtype), device="meta")
    return out.requires_grad_(requires_grad)


def _rebuild_view(stored, conjugate, negative, requires_grad):
    import rushlight as torch

    out = torch._neg_view(stored) if negative else stored
    out = out.conj() if conjugate else out
    return out.detach().requires_grad_(requires_grad)


def _whole(tensor):
    """All elements of the storage, where a tensor is not that in its own order; None where it is."""
    from .storage import elements_of

    storage = tensor.untyped_storage()
    usual, step = [], 1
    for size in reversed(tensor.shape):
        usual.insert(0, step)
        step *= max(size, 1)
    if tensor.stride() == tuple(usual) and storage.nbytes() == tensor.numel() * tensor.element_size():
        return None
    return elements_of(storage, tensor.dtype)


def _rebuild_quantized(integers, scheme):
    import rushlight as torch

    scale, zero_point, *axis = scheme
    if axis:
        return torch._make_per_channel_quantized_tensor(integers, scale, zero_point, axis[0])
    return torch._make_per_tensor_quantized_tensor(integers, scale, zero_point)


def _reduce(tensor):
    """A plain tensor, with the attributes that it was given."""
    function, args = _reduce_plain(tensor)
    state = dict(vars(tensor))
    return (_rebuild_of_class, (function, type(tensor), args, state)) if state else (function, args)


def _reduce_plain(tensor):
    """How pickles say what a tensor is: in PyTorch's words, where it has any."""
    if tensor.is_quantized:
        from .serialization import _scheme

        return _rebuild_quantized, (tensor.int_repr(), _scheme(tensor)[1:])
    from . import _utils
    from ._checkpoint_writing import _UNNAMED

    layout = (tuple(tensor.shape), tuple(tensor.stride()))
    if tensor.is_meta:
        return _utils._rebuild_meta_tensor_no_storage, (tensor.dtype, *layout, tensor.requires_grad)
    if tensor.dtype.name not in _UNNAMED:
        marks = {name: True for name, has in (("neg", tensor.is_neg()), ("conj", tensor.is_conj())) if has}
        place = (tensor._typed_storage(), tensor.storage_offset(), *layout)
        rest = (tensor.requires_grad, collections.OrderedDict()) + ((marks,) if marks else ())
        return _utils._rebuild_tensor_v2, place + rest
    whole = _whole(tensor)
    if whole is not None:
        layout = (tensor.storage_offset(), tuple(tensor.shape), tensor.stride(), tensor.requires_grad)
        return _rebuild_part, (_rushlight.tensor_bytes(whole), tensor.dtype.name, *layout)
    return _rebuild, (_rushlight.tensor_bytes(tensor), tensor.dtype.name, tuple(tensor.shape), tensor.requires_grad)


copyreg.pickle(_rushlight.Tensor, _reduce)


def _reduce_constant(constant):
    """Layouts go by the function that the reference has for them; what it has no pickles for, by one of ours."""
    from ._checkpoint_writing import _LAYOUTS

    if constant in _LAYOUTS:
        from .serialization import _get_layout

        return _get_layout, (str(constant),)
    return _names.named, (str(constant).removeprefix("torch."),)


for _class in (_names.layout, _names.memory_format, _names.qscheme):
    copyreg.pickle(_class, _reduce_constant)


def _rebuild_of_class(function, kind, args, state):
    out = function(*args)
    if type(out) is not kind:
        out = out.as_subclass(kind)
    vars(out).update(state)
    return out


_rebuild_of_class.__module__, _rebuild_of_class.__name__ = "torch._tensor", "_rebuild_from_type_v2"
_rebuild_of_class.__qualname__ = "_rebuild_from_type_v2"


def _reduce_of_class(self, protocol):
    """A tensor of a class that a program defines: the tensor, the class, and the attributes that it was given."""
    function, args = _reduce_plain(self)
    return _rebuild_of_class, (function, type(self), args, dict(vars(self)))


_reduce_of_class.__name__ = _reduce_of_class.__qualname__ = "__reduce_ex__"
_rushlight.Tensor.__reduce_ex__ = _reduce_of_class


def __copy__(self):
    """A tensor over the same memory, with the attributes of this one."""
    from ._internals import DisableTorchFunction

    with DisableTorchFunction():
        out = self.detach()
        if type(self) is not _rushlight.Tensor:
            out = _rushlight.Tensor._make_subclass(type(self), out, self.requires_grad)
        elif self.requires_grad:
            out.requires_grad = True
    vars(out).update(vars(self))
    return out


_rushlight.Tensor.__copy__ = __copy__


def copy_of_parts(self):
    """As ``__copy__``, of a tensor that is made of others."""
    out = self.detach()
    if self.requires_grad:
        out.requires_grad_()
    vars(out).update({name: value for name, value in vars(self).items() if name not in vars(out)})
    return out


def _restore_packed(state):
    from . import _packed

    return _packed.restore(state)


def _reduce_object(object):
    from . import _packed

    return _restore_packed, (_packed.pair(object),)


copyreg.pickle(_rushlight.ScriptObject, _reduce_object)
