"""``torch.cuda.memory``: the memory of devices, of which there are none."""

from . import (  # noqa: F401
    _NO_DRIVER,
    empty_cache,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_memory_stats,
)
from .._absent import refuse

refuse(globals(), ("_record_memory_history",), RuntimeError, _NO_DRIVER)
