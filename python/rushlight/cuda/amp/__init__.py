"""``torch.cuda.amp``: earlier names of what is in ``torch.amp``, for devices that are not there."""

import functools

from ... import amp as _amp, float16
from ...amp._names import function_renamed, renamed
from .. import is_available

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]


def amp_definitely_not_available():
    """True: there is no such device."""
    return not is_available()


class autocast(_amp.autocast):
    """``torch.amp.autocast("cuda")``."""

    _scripted = ".cuda.amp._scripted"

    def __init__(self, enabled=True, dtype=float16, cache_enabled=True):
        renamed("cuda", "autocast")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(_amp.GradScaler):
    """``torch.amp.GradScaler("cuda")``."""

    def __init__(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        renamed("cuda", "GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd=None, *, cast_inputs=None):
    """``torch.amp.custom_fwd`` for CUDA."""
    function_renamed("custom_fwd", "cuda")
    return functools.partial(_amp.custom_fwd, device_type="cuda")(fwd, cast_inputs=cast_inputs)


def custom_bwd(bwd):
    """``torch.amp.custom_bwd`` for CUDA."""
    function_renamed("custom_bwd", "cuda")
    return _amp.custom_bwd(bwd, device_type="cuda")
