"""``torch._tensor``: where the class of tensors lives."""

from ._rushlight import Tensor  # noqa: F401
