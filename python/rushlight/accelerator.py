"""``torch.accelerator``: the device that is not there."""

from ._absent import refuse
from .cuda import _NO_DRIVER

__all__ = [
    "current_accelerator", "current_device_idx", "current_device_index", "current_stream", "device_count", "device_index",
    "empty_cache", "is_available", "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved",
    "memory_stats", "reset_accumulated_memory_stats", "reset_peak_memory_stats", "set_device_idx", "set_device_index",
    "set_stream", "synchronize",
]


def is_available():
    """Never."""
    return False


def device_count():
    """None."""
    return 0


def current_accelerator(check_available=False):
    """The kind of devices that programs are written for; None if it is to be there."""
    from . import device

    return None if check_available else device("cuda")


def empty_cache():
    """Nothing: no memory is kept."""


def memory_allocated(device_index=None, /):
    """None."""
    return 0


def memory_stats(device_index=None, /):
    """There are none."""
    from collections import OrderedDict

    return OrderedDict()


def reset_peak_memory_stats(device_index=None, /):
    """Nothing: there are none."""


memory_reserved = max_memory_allocated = max_memory_reserved = memory_allocated
reset_accumulated_memory_stats = reset_peak_memory_stats


refuse(globals(), (
    "current_device_index", "current_stream", "set_device_index", "set_stream", "synchronize",
), RuntimeError, _NO_DRIVER)
current_device_idx, set_device_idx = current_device_index, set_device_index  # noqa: F821


class device_index:
    """Within, another device is the current one: None changes nothing."""

    def __init__(self, device, /):
        self.idx = device

    def __enter__(self):
        if self.idx is not None:
            raise RuntimeError(_NO_DRIVER)

    def __exit__(self, *_):
        return False
