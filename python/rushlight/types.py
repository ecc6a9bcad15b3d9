"""Names for type annotations."""

from typing import Any, List, Sequence, Tuple, Union  # noqa: F401

from ._rushlight import Tensor, device as _device, dtype as _dtype  # noqa: F401

Number = Union[int, float, bool]
Device = Union[_device, str, int, None]
