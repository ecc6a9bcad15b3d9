"""Tensors without elements on devices by name. Nothing makes one here: programs ask whether a tensor is one."""

from .._rushlight import Tensor
from ..utils._python_dispatch import TorchDispatchMode


class FakeTensor(Tensor):
    """A tensor without elements. Nothing makes one here; tensors on the device ``meta`` have none either."""


class FakeTensorMode(TorchDispatchMode):
    """Makes such tensors. Not part of this version: entering it raises ``NotImplementedError``."""

    def __init__(self, *args, **kwargs):
        super().__init__()


class UnsupportedFakeTensorException(RuntimeError):
    """An operator cannot be computed without elements."""


class DynamicOutputShapeException(RuntimeError):
    """The sizes of a result depend on elements."""


def is_fake(x):
    """Whether a tensor has no elements of this kind: none."""
    return False


def maybe_get_fake_mode(t):
    """The mode that made a tensor: none."""
    return None
