"""``torch._subclasses``: tensors without elements that the reference's compiler computes with. There are none here."""

from .fake_tensor import DynamicOutputShapeException, FakeTensor, FakeTensorMode, UnsupportedFakeTensorException  # noqa: F401
