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


def get_rng_state_all():
    """The streams of random numbers of all devices: there are none."""
    return []


def set_rng_state_all(new_states):
    """Nothing: no stream to set.

    Raises:
        AssertionError: for the state of a device.
    """
    for state in new_states:
        set_rng_state(state)  # noqa: F821  refused below


def is_current_stream_capturing():
    """Whether the work of a device is being recorded: never."""
    return False


class device:
    """Within, a device is the one that is used: None or a negative number is none."""

    def __init__(self, device):
        self.idx = -1 if device is None else getattr(device, "index", device)
        self.prev_idx = -1

    def __enter__(self):
        if isinstance(self.idx, int) and self.idx < 0:
            return
        raise AssertionError("Torch not compiled with XPU enabled")

    def __exit__(self, *_):
        return False


class device_of(device):
    """Within, the device of a tensor is used: that of one in the memory of the CPU changes nothing."""

    def __init__(self, obj):
        super().__init__(-1)


def stream(stream):
    """Within, nothing is different."""
    return contextlib.nullcontext()


refuse(globals(), (
    "current_device", "current_stream", "get_device_capability", "get_device_name", "get_device_properties", "get_rng_state",
    "init", "mem_get_info", "set_device", "set_rng_state", "synchronize",
), AssertionError, "Torch not compiled with XPU enabled")
