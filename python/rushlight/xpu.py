"""``torch.xpu`` where there is no such device: programs ask, and go on without one."""

import contextlib

from ._absent import refuse


def is_available():
    """Never."""
    return False


def is_initialized():
    """Never."""
    return False


def is_bf16_supported(including_emulation=True):
    """Never."""
    return False


def device_count():
    """None."""
    return 0


def empty_cache():
    """Nothing: no memory is kept."""


def manual_seed(seed):
    """Nothing: no stream to seed."""


manual_seed_all = manual_seed


def memory_allocated(device=None):
    """None."""
    return 0


memory_reserved = max_memory_allocated = max_memory_reserved = memory_allocated


def memory_stats(device=None):
    """There are none."""
    from collections import OrderedDict

    return OrderedDict()


def reset_peak_memory_stats(device=None):
    """Nothing: there are none."""


def stream(stream):
    """Within, nothing is different."""
    return contextlib.nullcontext()


refuse(globals(), (
    "current_device", "current_stream", "get_device_capability", "get_device_name", "get_device_properties", "get_rng_state",
    "init", "set_device", "set_rng_state", "synchronize",
), AssertionError, "Torch not compiled with XPU enabled")
