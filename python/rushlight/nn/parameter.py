"""Tensors that a module trains or carries: ``Parameter`` and ``Buffer``."""

from collections import OrderedDict

from .. import _rushlight
from .._rushlight import Tensor
from .._tensor_kinds import overrides_tensors
from .._wrapper_subclasses import handles

__all__ = ["Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer", "is_lazy"]


class _ParameterKind(type(Tensor)):
    """Tensors marked with ``_is_param`` count as parameters."""

    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


_ParameterMeta = _ParameterKind


class Parameter(Tensor, metaclass=_ParameterKind):
    """A tensor that a module trains: assigned to a module, it appears in ``parameters()``."""

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = _rushlight.tensor([])
        if not isinstance(data, Tensor):
            raise AttributeError(f"'{type(data).__name__}' object has no attribute 'detach'")
        if requires_grad and not (data.dtype.is_floating_point or data.dtype.is_complex):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        if data.is_sparse or data.is_sparse_csr:
            raise NotImplementedError("parameters that are sparse are not part of Rushlight: the tensor itself takes requires_grad_()")
        if type(data) is not Tensor and not isinstance(data, Parameter) and (overrides_tensors(type(data)) or handles(type(data))):
            # A tensor of a class that a program defines stays one, and is marked.
            out = data.detach().requires_grad_(requires_grad)
            if type(out) is not type(data):
                raise RuntimeError(
                    f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an "
                    f"instance of the same type, but return type {type(out).__name__} was found instead. To use the type as a "
                    "Parameter, please correct the detach() semantics defined by its __torch_dispatch__() implementation."
                )
            out._is_param = True
            return out
        # A trace shows the parameters that are made meanwhile.
        return _over(cls, data.detach() if _rushlight.is_tracing() else _rushlight.beside(data), requires_grad)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = _over(type(self), self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    # As any object: a parameter of one element is no number.
    __format__ = object.__format__

    def __str__(self):
        return repr(self)

    def __copy__(self):
        out = _over(type(self), self.data, self.requires_grad)
        vars(out).update(vars(self))
        return out

    def __reduce_ex__(self, protocol):
        state = dict(vars(self))
        if type(self) is Parameter:
            from .._utils import _rebuild_parameter, _rebuild_parameter_with_state

            args = (self.data, self.requires_grad, OrderedDict())
            return (_rebuild_parameter_with_state, (*args, state)) if state else (_rebuild_parameter, args)
        made = _rebuild, (type(self), self.data, self.requires_grad)
        return (*made, state) if state else made


def _over(cls, tensor, requires_grad):
    """A tensor of a class over the very tensor; the extension gives this object back for it from now on."""
    out = Tensor.__new__(cls, tensor)
    if requires_grad or not tensor.is_quantized:
        # Of quantized tensors gradients cannot be asked, not even not.
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


class Buffer(Tensor, metaclass=_BufferKind):
    """A tensor that belongs to the state of a module without being trained."""

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = _rushlight.tensor([])
        out = data.detach().requires_grad_(data.requires_grad)
        out.persistent, out._is_buffer = persistent, True
        _rushlight.remember_tensor(out)
        return out


_NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` when "
    "trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the parameters before "
    "accessing their attributes."
)
_NOT_YET = (
    "Attempted to use an uninitialized parameter in <method '{}' of 'torch._C.TensorBase' objects>. This error happens when "
    "you are using a `LazyModule` or explicitly manipulating `torch.nn.parameter.{}` objects. When using LazyModules Call "
    "`forward` with a dummy batch to initialize the parameters before calling torch functions"
)
# What can be asked of a tensor without a shape.
_ALLOWED = frozenset(
    "data dtype device requires_grad is_leaf grad grad_fn layout is_cuda is_sparse is_quantized is_floating_point is_complex "
    "materialize shape share_memory_ cls_to_become".split()
)
# Operators that Python writes as signs.
_SIGNS = {
    "add": "add radd iadd", "sub": "sub rsub isub", "mul": "mul rmul imul", "div": "truediv rtruediv itruediv",
    "matmul": "matmul", "pow": "pow rpow", "neg": "neg", "lt": "lt", "gt": "gt", "le": "le", "ge": "ge", "__getitem__": "getitem",
}


class UninitializedTensorMixin:
    """A tensor whose sizes are not known yet."""

    def materialize(self, shape, device=None, dtype=None):
        """Gives the tensor its sizes; the elements are unspecified."""
        import rushlight as torch

        self.data = torch.empty(shape, device=device or self.data.device, dtype=dtype or self.data.dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self):
        raise RuntimeError(_NO_SHAPE)

    def share_memory_(self):
        """Refused: there are no elements to share."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters before calling "
            "`module.share_memory()`."
        )

    def __getattribute__(self, name):
        if not name.startswith("_") and name not in _ALLOWED and hasattr(Tensor, name):
            raise ValueError(_NOT_YET.format(name, type(self).__name__))
        return super().__getattribute__(name)

    def __repr__(self):
        return f"<{type(self).__name__}>"

    __str__ = __repr__

    def __reduce_ex__(self, protocol):
        return _rebuild_uninitialized, (type(self), self.requires_grad, str(self.device), self.dtype)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = _rebuild_uninitialized(type(self), self.requires_grad, self.device, self.dtype)
        return memo[id(self)]


def _refused(name):
    def refuse(self, *_):
        raise ValueError(_NOT_YET.format(name, type(self).__name__))

    return refuse


for _name, _signs in _SIGNS.items():
    for _sign in _signs.split():
        setattr(UninitializedTensorMixin, f"__{_sign}__", _refused(_name))


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter that waits for its sizes."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return _over(cls, _rushlight.tensor([], dtype=dtype, device=device), requires_grad)


class _MaterializedBuffer(Tensor):
    """What a buffer that waited becomes: a tensor like any other."""


_MaterializedBuffer.__name__ = _MaterializedBuffer.__qualname__ = "Tensor"
_MaterializedBuffer.__module__ = "torch"


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer that waits for its sizes."""

    cls_to_become = _MaterializedBuffer

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        out = _over(cls, _rushlight.tensor([], dtype=dtype, device=device), requires_grad)
        out.persistent = persistent
        return out


def _rebuild_uninitialized(cls, requires_grad, device, dtype):
    return cls(requires_grad=requires_grad, device=device, dtype=dtype)


def is_lazy(param):
    """Whether a tensor waits for its sizes."""
    return isinstance(param, UninitializedTensorMixin)
