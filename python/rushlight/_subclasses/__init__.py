"""``torch._subclasses``: tensors without elements that say they are on a device."""

from .fake_tensor import (  # noqa: F401
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    UnsupportedFakeTensorException,
)
