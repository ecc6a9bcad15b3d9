"""``torch.cpu.amp.autocast`` as scripts have it."""

from typing import Any

import rushlight as torch

from ..._library import publish


class autocast:
    """What is entered; the constructor's arguments have to be constants."""

    def __init__(self, enabled: bool = True, dtype: int = torch.bfloat16, cache_enabled: bool = True):
        self._enabled = enabled
        self.device = "cpu"
        self.fast_dtype = dtype

    def __enter__(self):
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any):
        pass

    def __call__(self, func):
        return func


publish(globals(), "torch.cpu.amp.autocast_mode")
