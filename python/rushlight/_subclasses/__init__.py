"""``torch._subclasses``: tensors without elements that say they are on a device."""

from .fake_tensor import DynamicOutputShapeException, FakeTensor, FakeTensorMode, UnsupportedFakeTensorException  # noqa: F401
