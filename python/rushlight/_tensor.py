"""``torch._tensor``: where the class of tensors lives."""

from ._rushlight import Tensor  # noqa: F401
from ._pickling import _rebuild_of_class as _rebuild_from_type_v2  # noqa: F401
