"""Which way attention is computed: here there is one, whatever is asked for."""

import contextlib
import enum


__all__ = [
    "SDPBackend", "sdpa_kernel", "WARN_FOR_UNFUSED_KERNELS", "register_flash_attention_impl", "activate_flash_attention_impl",
    "list_flash_attention_impls", "current_flash_attention_impl", "restore_flash_attention_impl",
]

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(enum.Enum):
    """The reference's ways to compute attention."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self):
        return self.value

    __index__ = __int__

    def __repr__(self):
        return f"<SDPBackend.{self.name}: {self.value}>"

    def __str__(self):
        return f"SDPBackend.{self.name}"


# The ways that are allowed within :func:`sdpa_kernel`, the innermost last.
_allowed = []
_ORDER = (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH, SDPBackend.CUDNN_ATTENTION)


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Within, attention may be computed in these ways; here there is one way, which is taken whatever they are."""
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backends).__name__}"
        )
    _allowed.append([backends] if isinstance(backends, SDPBackend) else list(dict.fromkeys(backends)))
    try:
        yield {}
    finally:
        _allowed.pop()


def _cur_sdpa_kernel_backends(with_priority=False):
    """The ways that are allowed now."""
    allowed = _allowed[-1] if _allowed else _ORDER
    return [backend for backend in _ORDER if backend in allowed]


# Kernels for GPUs, by name, and what registers each.
_implementations = {"FA3": None, "FA4": None}


def list_flash_attention_impls():
    """The names of kernels that can be asked for; none of them runs here."""
    return sorted(_implementations)


def register_flash_attention_impl(impl, *, register_fn):
    """Adds a kernel by name."""
    _implementations[impl] = register_fn


def activate_flash_attention_impl(impl):
    """Asks for a kernel."""
    if impl not in _implementations:
        raise ValueError(f"Unknown flash attention impl '{impl}'. Available implementations: {list_flash_attention_impls()}")
    if _implementations[impl] is None:
        raise ModuleNotFoundError("No module named 'flash_attn_interface'", name="flash_attn_interface")
    _implementations[impl]()


def current_flash_attention_impl():
    """The kernel that was asked for: none."""
    return None


def restore_flash_attention_impl(_raise_warn=True):
    """Asks for no kernel any more."""


def __getattr__(name):
    if name in ("bias", "flex_attention"):
        from importlib import import_module

        return import_module("." + name, __package__)
    raise AttributeError(f"module 'torch.nn.attention' has no attribute '{name}'")
