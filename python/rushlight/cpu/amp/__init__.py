"""``torch.cpu.amp``: earlier names of what is in ``torch.amp``."""

from ... import amp as _amp, bfloat16
from ...amp._names import renamed

__all__ = ["GradScaler", "autocast"]


class autocast(_amp.autocast):
    """``torch.amp.autocast("cpu")``."""

    _scripted = ".cpu.amp._scripted"

    def __init__(self, enabled=True, dtype=bfloat16, cache_enabled=True):
        renamed("cpu", "autocast")
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(_amp.GradScaler):
    """``torch.amp.GradScaler("cpu")``."""

    def __init__(self, init_scale=65536.0, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):
        renamed("cpu", "GradScaler")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
