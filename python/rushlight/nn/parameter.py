"""Tensors that a module trains or carries: ``Parameter`` and ``Buffer``."""


from .. import _rushlight
from .._rushlight import Tensor

__all__ = ["Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer", "is_lazy"]


class _ParameterKind(type(Tensor)):
    """Tensors marked with ``_is_param`` count as parameters."""

    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterKind):
    """A tensor that a module trains: assigned to a module, it appears in ``parameters()``."""

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = _rushlight.tensor([])
        if not isinstance(data, Tensor):
            raise AttributeError(f"'{type(data).__name__}' object has no attribute 'detach'")
        if requires_grad and not (data.dtype.is_floating_point or data.dtype.is_complex):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        return _over(cls, data.data, requires_grad)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = _over(type(self), self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    def __str__(self):
        return repr(self)

    def __reduce_ex__(self, protocol):
        return _rebuild, (type(self), self.data, self.requires_grad)


def _over(cls, tensor, requires_grad):
    """A tensor of a class over the very tensor; the extension gives this object back for it from now on."""
    out = Tensor.__new__(cls, tensor)
    out.requires_grad = requires_grad
    _rushlight.remember_tensor(out)
    return out


def _rebuild(cls, data, requires_grad):
    return _over(cls, data, requires_grad)


def parameter_of(tensor):
    """The parameter that a tensor of a scripted module is: an object for the tensor itself, not for a copy."""
    return tensor if isinstance(tensor, Parameter) else _over(Parameter, tensor, tensor.requires_grad)


class _BufferKind(type(Tensor)):
    """Tensors marked with ``_is_buffer`` count as buffers."""

    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class _BufferTensor(Tensor):
    """A tensor with the marks of a buffer."""

    _is_buffer = True

    def __reduce_ex__(self, protocol):
        return Buffer, (self.data, self.persistent)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = Buffer(self.data.clone(), persistent=self.persistent)
        return memo[id(self)]


_BufferTensor.__name__ = _BufferTensor.__qualname__ = "Tensor"
_BufferTensor.__module__ = "torch"


class Buffer(Tensor, metaclass=_BufferKind):
    """A tensor that belongs to the state of a module without being trained."""

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = _rushlight.tensor([])
        out = Tensor.__new__(_BufferTensor, data.data)
        out.requires_grad = data.requires_grad
        out.persistent = persistent
        _rushlight.remember_tensor(out)
        return out


class _Uninitialized:
    """Stands for a tensor whose sizes are not known yet."""

    def __init__(self, *_, **__):
        raise NotImplementedError("lazy modules are not supported by this version of Rushlight; give the sizes")


class UninitializedParameter(_Uninitialized):
    """A parameter of a lazy module."""


class UninitializedBuffer(_Uninitialized):
    """A buffer of a lazy module."""


def is_lazy(param):
    """Whether a tensor waits for its sizes."""
    return isinstance(param, _Uninitialized)


