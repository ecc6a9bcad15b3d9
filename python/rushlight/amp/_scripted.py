"""``torch.autocast`` as scripts have it: an object that says how operators inside of ``with`` compute. The runtime reads it."""

from typing import Any, Optional

import rushlight as torch

from .._library import publish


class autocast:
    """What is entered; the constructor's arguments have to be constants."""

    def __init__(
        self, device_type: str, dtype: Optional[int] = None, enabled: bool = True, cache_enabled: Optional[bool] = None
    ):
        self.fast_dtype = torch.get_autocast_dtype(device_type) if dtype is None else dtype
        self._enabled = enabled
        self.device = device_type

    def __enter__(self):
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any):
        pass

    def __call__(self, func):
        return func


publish(globals(), "torch.amp.autocast_mode")
