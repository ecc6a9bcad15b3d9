"""``torch.cuda`` where there is no such device: programs ask, and go on without one."""

from .._absent import refuse
from .._type_names import Stream  # noqa: F401

_NO_DRIVER = (
    "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from "
    "http://www.nvidia.com/Download/index.aspx"
)


def is_available():
    """Never."""
    return False


_initialized = False
# The random streams of devices: none.
default_generators = ()


def is_initialized():
    """Never."""
    return False


def _is_in_bad_fork():
    """Never: there is nothing that a fork could share."""
    return False


def _lazy_call(callable, **kwargs):
    """Nothing: what waits for the device to be initialised never runs."""


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


refuse(globals(), (
    "init", "_lazy_init", "synchronize", "current_device", "set_device", "get_device_name", "get_device_properties",
    "get_device_capability", "get_rng_state", "set_rng_state", "current_stream", "initial_seed", "ipc_collect",
    "mem_get_info", "default_stream", "cudart", "can_device_access_peer", "set_per_process_memory_fraction",
    "get_sync_debug_mode", "set_sync_debug_mode",
), RuntimeError, _NO_DRIVER)


class OutOfMemoryError(RuntimeError):
    """A device has no memory left. Programs catch it; here nothing raises it."""


OutOfMemoryError.__module__ = "torch"


class StreamContext:
    """Within, work goes to a stream: None changes nothing."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return None

    def __exit__(self, *_):
        return None


def stream(stream):
    """Within, work goes to a stream: None changes nothing."""
    return StreamContext(stream)


def set_stream(stream):
    """Makes a stream the current one: None changes nothing."""


class device:
    """Within, another device is the current one: a negative number means none."""

    def __init__(self, device):
        self.idx = -1 if device is None else getattr(device, "index", device)

    def __enter__(self):
        if isinstance(self.idx, int) and self.idx < 0:
            return
        raise RuntimeError(_NO_DRIVER)

    def __exit__(self, *_):
        return False


class device_of(device):
    """Within, the device of a tensor is the current one; tensors on the CPU change nothing."""

    def __init__(self, obj):
        super().__init__(obj.get_device() if obj.is_cuda else -1)


def memory_stats(device=None):
    """There are none."""
    from collections import OrderedDict

    return OrderedDict()


def memory_snapshot(*args, **kwargs):
    """There is nothing."""
    return []


def get_rng_state_all():
    """There are none."""
    return []


def set_rng_state_all(new_states):
    """Nothing: there are none."""


def seed():
    """Nothing: no stream to seed."""


def is_tf32_supported():
    """Never."""
    return False


def _renamed(old, new):
    import warnings

    warnings.warn(f"`torch.cuda.{old}` has been renamed to `torch.cuda.{new}`", FutureWarning, stacklevel=3)


def memory_cached(device=None):
    """The earlier name of ``memory_reserved``."""
    _renamed("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device=None):
    """The earlier name of ``max_memory_reserved``."""
    _renamed("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def _reset_all(name):
    def reset(device=None):
        import warnings

        text = f"torch.cuda.{name} now calls torch.cuda.reset_peak_memory_stats, which resets /all/ peak memory stats."
        warnings.warn(text, FutureWarning, stacklevel=2)
        return reset_peak_memory_stats(device)

    reset.__name__ = reset.__qualname__ = name
    reset.__doc__ = "There are none."
    return reset


reset_max_memory_allocated = _reset_all("reset_max_memory_allocated")
reset_max_memory_cached = _reset_all("reset_max_memory_cached")


class _DeviceTensors(type):
    """Tensors of one type of elements on the device: no tensor is one."""

    def __instancecheck__(cls, instance):
        return False

    def __call__(cls, *args, **kwargs):
        raise RuntimeError(_NO_DRIVER)


def _device_tensors(name):
    return _DeviceTensors(name, (), {"__module__": "torch.cuda", "__doc__": "Tensors on the device: there are none."})


_TENSORS = frozenset((
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor", "IntTensor",
    "LongTensor", "ShortTensor",
))


def __getattr__(name):
    if name in ("amp", "comm", "memory", "nvtx", "profiler", "random"):
        from importlib import import_module

        return import_module("." + name, __package__)
    if name in _TENSORS:
        found = globals()[name] = _device_tensors(name)
        return found
    raise AttributeError(f"module 'torch.cuda' has no attribute '{name}'")


class CUDAGraph:
    """Work that a device repeats. There is no device: making one raises."""

    def __init__(self, keep_graph=False):
        raise RuntimeError(_NO_DRIVER)


class graph:
    """Within, a device's work is recorded. There is no device: making one raises."""

    def __init__(self, cuda_graph, pool=None, stream=None, capture_error_mode="global"):
        raise RuntimeError(_NO_DRIVER)


def is_current_stream_capturing():
    """Never."""
    return False


refuse(globals(), ("make_graphed_callables", "graph_pool_handle"), RuntimeError, _NO_DRIVER)
