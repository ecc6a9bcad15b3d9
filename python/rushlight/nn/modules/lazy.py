"""Modules that find out sizes from their first input."""

import itertools
import types

from ..._library import publish
from ..parameter import UninitializedBuffer, UninitializedParameter, is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Makes a module wait for its first input, which ``initialize_parameters`` takes sizes from.

    Then the module becomes one of the class ``cls_to_become``.
    """

    cls_to_become = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._initialize_hook = self.register_forward_pre_hook(_initialize, with_kwargs=True)

    def initialize_parameters(self, *args, **kwargs):
        """Gives the waiting tensors their sizes; for subclasses to define."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self):
        """Whether a parameter or buffer of the module itself still waits."""
        return any(map(is_lazy, itertools.chain(self._parameters.values(), self._buffers.values())))


def _initialize(module, args, kwargs):
    """Runs before the first ``forward``."""
    module.initialize_parameters(*args, **kwargs)
    if module.has_uninitialized_params():
        raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
    module._initialize_hook.remove()
    del module._initialize_hook
    if module.cls_to_become is not None:
        module.__class__ = module.cls_to_become


def own_method(cls, name):
    """Gives a class a method of a base as its own, so that it tells its name."""
    shared = getattr(cls, name)
    method = types.FunctionType(shared.__code__, shared.__globals__, name, shared.__defaults__, shared.__closure__)
    method.__kwdefaults__, method.__doc__ = shared.__kwdefaults__, shared.__doc__
    method.__module__, method.__qualname__ = cls.__module__, f"{cls.__qualname__}.{name}"
    setattr(cls, name, method)


class Lazy(LazyModuleMixin):
    """What the lazy modules of the library share: the class behind is made without channels, then its tensors wait."""

    # The attribute that holds the size which the first input says.
    _size = ""

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if Lazy in cls.__bases__:
            for name in ("initialize_parameters", "reset_parameters"):
                own_method(cls, name)

    def __init__(self, *args, **kwargs):
        super().__init__(0, *args, **kwargs)
        for table, kind in ((self._parameters, UninitializedParameter), (self._buffers, UninitializedBuffer)):
            for name, tensor in table.items():
                if tensor is not None and tensor.dim() > 0:
                    table[name] = kind(device=tensor.device, dtype=tensor.dtype)

    def reset_parameters(self):
        """Draws the initial weights, once there are any."""
        if getattr(self, self._size) != 0 and not self.has_uninitialized_params():
            super().reset_parameters()

    def _shapes(self, size):
        """The shapes of the waiting tensors, by name."""
        raise NotImplementedError

    def _size_of(self, input):
        """The size that the input says."""
        raise NotImplementedError

    def initialize_parameters(self, input):
        """Gives the waiting tensors their sizes and draws the initial weights."""
        if self.has_uninitialized_params():
            size = self._size_of(input)
            setattr(self, self._size, size)
            for name, shape in self._shapes(size).items():
                tensor = getattr(self, name)
                if is_lazy(tensor):
                    tensor.materialize(shape)
            self.reset_parameters()
        elif getattr(self, self._size) == 0:
            setattr(self, self._size, self._size_of(input))


class _LazyNormBase(Lazy):
    """A lazy module whose tensors have an element per channel."""

    _size = "num_features"

    def _size_of(self, input):
        return input.shape[1]

    def _shapes(self, size):
        return dict.fromkeys(("weight", "bias", "running_mean", "running_var"), (size,))


publish(globals())
