"""``torch.cuda`` where there is no such device: programs ask, and go on without one."""

from .._type_names import Stream  # noqa: F401

_NO_DRIVER = (
    "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from "
    "http://www.nvidia.com/Download/index.aspx"
)


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


def manual_seed(seed):
    """Nothing: no stream to seed."""


def manual_seed_all(seed):
    """Nothing: no stream to seed."""


def seed_all():
    """Nothing: no stream to seed."""


def empty_cache():
    """Nothing: no memory is kept."""


def memory_allocated(device=None):
    """None."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated


def get_arch_list():
    """None is built for."""
    return []


def reset_peak_memory_stats(device=None):
    """There are none."""
    raise RuntimeError("invalid argument to reset_peak_memory_stats")


class Event:
    """A moment in a device's work. There is none."""

    def __init__(self, *args, **kwargs):
        pass

    def __repr__(self):
        return "<torch.cuda.Event uninitialized>"

    def record(self, stream=None):
        """Needs a device; there is none."""
        raise RuntimeError(_NO_DRIVER)


def _refused(name):
    def refuse(*args, **kwargs):
        raise RuntimeError(_NO_DRIVER)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Needs a device; there is none."
    return refuse


for _name in (
    "init", "synchronize", "current_device", "set_device", "get_device_name", "get_device_properties",
    "get_device_capability", "get_rng_state", "set_rng_state", "current_stream", "initial_seed", "ipc_collect",
    "mem_get_info",
):
    globals()[_name] = _refused(_name)
del _name


def __getattr__(name):
    if name == "amp":
        from importlib import import_module

        return import_module(".amp", __name__)
    raise AttributeError(f"module 'torch.cuda' has no attribute '{name}'")
