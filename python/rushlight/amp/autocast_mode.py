"""``torch.autocast``: operators that gain from it compute in low precision, those that lose from it in full.

On the CPU it concerns the operators that Python calls and, by lists of their own, those that scripts call; a ``with`` in a
script is that of ``_scripted.py``.
"""

import functools
import threading
import warnings

from .. import _rushlight, bfloat16, device as _device, float16

__all__ = ["autocast", "autocast_decorator", "custom_bwd", "custom_fwd", "is_autocast_available"]

# The devices that know autocasting, with the precision of each.
_DEFAULTS = {
    "cpu": bfloat16, "cuda": float16, "xpu": float16, "mps": float16, "mtia": float16, "hpu": bfloat16, "xla": bfloat16,
    "maia": bfloat16, "ipu": float16, "privateuseone": float16,
}
_CPU_TYPES = (bfloat16, float16)


class _State(threading.local):
    """What is on in a thread."""

    def __init__(self):
        self.enabled = {}
        self.dtypes = {}
        self.is_cached = True
        self.nesting = 0

    def apply(self):
        _rushlight.set_autocast(get_autocast_dtype("cpu") if self.enabled.get("cpu") else None)


_state = _State()


def _known(device_type):
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    _device(device_type)
    if device_type not in _DEFAULTS:
        raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
    return device_type


def is_autocast_available(device_type):
    """Whether there is autocasting for a kind of devices, present or not."""
    _device(device_type)
    return device_type in _DEFAULTS


def is_autocast_enabled(device_type="cuda"):
    """Whether autocasting is on."""
    return _state.enabled.get(_known(device_type), False)


# Scripts see the operator.
is_autocast_enabled._rushlight_path = "torch.is_autocast_enabled"


def set_autocast_enabled(device_type, enabled=None):
    """Turns autocasting on or off."""
    if enabled is None:
        device_type, enabled = "cuda", device_type
    _state.enabled[_known(device_type)] = enabled
    _state.apply()


def get_autocast_dtype(device_type):
    """The precision that autocasting goes to."""
    return _state.dtypes.get(_known(device_type), _DEFAULTS[device_type])


get_autocast_dtype._rushlight_path = "torch.get_autocast_dtype"


def set_autocast_dtype(device_type, dtype):
    """Sets the precision that autocasting goes to."""
    _state.dtypes[_known(device_type)] = dtype
    _state.apply()


def _told_to_name(old, new):
    warnings.warn(f"torch.{old} is deprecated. Please use torch.{new} instead.", DeprecationWarning, stacklevel=3)


def is_autocast_cpu_enabled():
    """Whether autocasting is on for the CPU."""
    _told_to_name("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


is_autocast_cpu_enabled._rushlight_path = "torch.is_autocast_cpu_enabled"


def set_autocast_cpu_enabled(enabled):
    """Turns autocasting for the CPU on or off."""
    _told_to_name("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_gpu_dtype():
    """The precision of autocasting on a GPU."""
    _told_to_name("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def get_autocast_cpu_dtype():
    """The precision of autocasting on the CPU."""
    _told_to_name("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_gpu_dtype(dtype):
    """Sets the precision of autocasting on a GPU."""
    _told_to_name("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)


def set_autocast_cpu_dtype(dtype):
    """Sets the precision of autocasting on the CPU."""
    _told_to_name("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def is_autocast_cache_enabled():
    """What :func:`set_autocast_cache_enabled` has set. Nothing is kept of what was cast."""
    return _state.is_cached


def set_autocast_cache_enabled(enabled):
    """Keeps whether the program wants cast weights to be kept."""
    _state.is_cached = enabled


def clear_autocast_cache():
    """Nothing: nothing is kept of what was cast."""


def autocast_increment_nesting():
    """Goes one deeper; how deep this is."""
    _state.nesting += 1
    return _state.nesting


def autocast_decrement_nesting():
    """Goes out of one; how deep this is."""
    _state.nesting -= 1
    return _state.nesting


def autocast_decorator(autocast_instance, func):
    """A function that runs within an autocast."""

    @functools.wraps(func)
    def decorate_autocast(*args, **kwargs):
        with autocast_instance:
            return func(*args, **kwargs)

    decorate_autocast.__script_unsupported = "@autocast() decorator is not supported in script mode"
    return decorate_autocast


class autocast:
    """Within, operators take their tensors in the precision that suits them.

    Args:
        device_type: the kind of devices that is meant; one that is not there has nothing to cast.
        dtype: the low precision.
        enabled: whether anything is cast.
        cache_enabled: kept; nothing is kept of what was cast.
    """

    _scripted = ".amp._scripted"

    def __init__(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = _known(device_type)
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self.custom_backend_name = None
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        self._enabled = enabled and self._is_possible()

    def _is_possible(self):
        if self.device == "cuda":
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=3)
            return False
        if self.device == "cpu" and self.fast_dtype not in _CPU_TYPES:
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
                "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.",
                stacklevel=3,
            )
            return False
        return True

    def __enter__(self):
        before = (is_autocast_enabled(self.device), get_autocast_dtype(self.device), is_autocast_cache_enabled())
        # One object may be entered again while it is in force.
        self.__dict__.setdefault("_before", []).append(before)
        self._set(self._enabled, self.fast_dtype, self._cache_enabled)
        autocast_increment_nesting()
        return self

    def __exit__(self, *_):
        autocast_decrement_nesting()
        self._set(*self._before.pop())
        return False

    def _set(self, enabled, dtype, is_cached):
        set_autocast_enabled(self.device, enabled)
        set_autocast_dtype(self.device, dtype)
        set_autocast_cache_enabled(is_cached)

    def __call__(self, func):
        return autocast_decorator(self, func)


def _enter_autocast(*values):
    """An autocast that is in force from here on."""
    mode = autocast(*values)
    mode.__enter__()
    return mode


def _exit_autocast(mode):
    """Ends what :func:`_enter_autocast` began."""
    mode.__exit__(None, None, None)


def _cast(value, device_type, dtype):
    """Tensors of a device in nested containers in another precision."""
    if isinstance(value, _rushlight.Tensor):
        is_eligible = value.is_floating_point() and value.device.type == device_type and value.dtype.itemsize < 8
        return value.to(dtype) if is_eligible else value
    if isinstance(value, dict):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        items = [_cast(item, device_type, dtype) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def custom_fwd(fwd=None, *, device_type, cast_inputs=None):
    """Marks the forward of an ``autograd.Function``: it runs as outside, or without autocasting on inputs in one precision."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorate_fwd(*args, **kwargs):
        ctx = args[0]
        ctx._dtype = get_autocast_dtype(device_type)
        if cast_inputs is None:
            ctx._fwd_used_autocast = is_autocast_enabled(device_type)
            return fwd(*args, **kwargs)
        was_on = is_autocast_enabled(device_type)
        ctx._fwd_used_autocast = False
        if not was_on:
            return fwd(*args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorate_fwd


def custom_bwd(bwd=None, *, device_type):
    """Marks the backward of an ``autograd.Function``: it runs with the autocasting of its forward."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorate_bwd(*args, **kwargs):
        with autocast(device_type=device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return decorate_bwd
