"""Settings of the reference's libraries that programs make at their start. They are kept; results do not depend on them."""

import os

from . import _rushlight
from ._functions import _count_of_threads
from ._once import warn_once
from ._type_names import LEGACY

__all__ = [
    "use_deterministic_algorithms", "are_deterministic_algorithms_enabled", "is_deterministic_algorithms_warn_only_enabled",
    "set_deterministic_debug_mode", "get_deterministic_debug_mode", "set_float32_matmul_precision",
    "get_float32_matmul_precision", "set_flush_denormal", "set_num_interop_threads", "get_num_interop_threads",
    "set_default_device", "get_default_device", "set_default_tensor_type", "is_storage", "compiled_with_cxx11_abi",
    "set_warn_always", "is_warn_always_enabled",
]  # fmt: skip

_precision = "highest"
_warn_always = False
_MODES = {"default": 0, "warn": 1, "error": 2}


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Asks for the same results in every run. All operators give them; those that the reference refuses then are refused."""
    for place, (name, given) in enumerate((("mode", mode), ("warn_only", warn_only))):
        if not isinstance(given, bool):
            where = f" (position {place + 1})" if place == 0 else ""
            raise TypeError(
                f"_set_deterministic_algorithms(): argument '{name}'{where} must be bool, not {type(given).__name__}"
            )
    _rushlight.set_determinism(0 if not mode else 1 if warn_only else 2)


def are_deterministic_algorithms_enabled():
    """Whether deterministic algorithms were asked for."""
    return _rushlight.determinism_mode() > 0


def is_deterministic_algorithms_warn_only_enabled():
    """Whether others would only be warned of."""
    return _rushlight.determinism_mode() == 1


def set_deterministic_debug_mode(debug_mode):
    """As :func:`use_deterministic_algorithms`, by number or name."""
    if not isinstance(debug_mode, (str, int)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    mode = _MODES.get(debug_mode) if isinstance(debug_mode, str) else debug_mode
    if mode is None:
        raise RuntimeError(
            f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}"
        )
    if mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    _rushlight.set_determinism(mode)


def get_deterministic_debug_mode():
    """0, 1 or 2: deterministic algorithms were not asked for, others are warned of, or refused."""
    return _rushlight.determinism_mode()


def set_float32_matmul_precision(precision):
    """Permits products of less precision; they keep the highest."""
    global _precision
    if precision in ("highest", "high", "medium"):
        _precision = precision


def get_float32_matmul_precision():
    """What :func:`set_float32_matmul_precision` set."""
    return _precision


def set_flush_denormal(mode):
    """Whether denormal numbers can be flushed to zero, which they cannot."""
    if not isinstance(mode, bool):
        raise RuntimeError(f"flush_denormal expects a bool, but got {type(mode).__name__}")
    return False


def set_warn_always(b):
    """Asks for warnings again and again that come once otherwise. Here none are kept back."""
    global _warn_always
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    _warn_always = b


def is_warn_always_enabled():
    """What :func:`set_warn_always` set."""
    return _warn_always


_interop_threads = None


def set_num_interop_threads(number):
    """How many operators may run at once; to be set once. It is kept: forked tasks run when they are waited for."""
    global _interop_threads
    number = _count_of_threads("set_num_interop_threads", number)
    if _interop_threads is not None:
        raise RuntimeError(
            "Error: cannot set number of interop threads after parallel work has started or set_num_interop_threads called"
        )
    _interop_threads = number


def get_num_interop_threads():
    """How many operators may run at once."""
    return _interop_threads or os.cpu_count() or 1


def set_default_device(device):
    """Sets where this thread makes tensors for which no device is named: the CPU, or ``meta``."""
    device = None if device is None else _rushlight.device(device)
    if device is not None and device.type not in ("cpu", "meta"):
        raise NotImplementedError(f"set_default_device: only the CPU and meta can be the default device here, not {device}")
    _rushlight.set_default_device(device)


def get_default_device():
    """Where tensors are made for which no device is named."""
    return _rushlight.get_default_device()


def set_default_tensor_type(t):
    """Sets the default dtype by the old name of a type of tensors."""
    warn_once(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives."
    )
    if isinstance(t, str):
        t = LEGACY.get(t.removeprefix("torch."), t)
    dtype = getattr(t, "dtype", None)
    if not isinstance(dtype, _rushlight.dtype):
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    _rushlight.set_default_dtype(dtype)


def compiled_with_cxx11_abi():
    """True: what libraries compile against is of the newer kind."""
    return True


def is_storage(obj):
    """Whether an object is a storage of elements."""
    from .storage import TypedStorage, UntypedStorage

    return isinstance(obj, (TypedStorage, UntypedStorage))
