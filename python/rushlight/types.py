"""Names for type annotations."""

import os
from typing import IO, Any, List, Sequence, Tuple, Union  # noqa: F401

from ._names import Size, layout as _layout, qscheme as _qscheme  # noqa: F401
from ._rushlight import Tensor, device as _device, dtype as _dtype  # noqa: F401

_int = int
_float = float
_bool = bool
_complex = complex
_str = str
_bytes = bytes

Number = Union[int, float, bool]
_Number = (int, float, bool)
Device = Union[_device, str, int, None]
FileLike = Union[str, os.PathLike, IO[bytes]]

# Numbers of traces with sizes that vary, or plain ones.
BoolLikeType = Union[bool, "torch.SymBool"]
FloatLikeType = Union[float, "torch.SymFloat"]
IntLikeType = Union[int, "torch.SymInt"]

_size = Union[Size, List[int], Tuple[int, ...]]
_TensorOrTensors = Union[Tensor, Sequence[Tensor]]
