"""``torch.ao.nn.quantized``: layers of quantized numbers."""

from .modules import *  # noqa: F401,F403
from .modules import __all__ as _names
from . import functional  # noqa: F401

__all__ = list(_names)


def __getattr__(name):
    if name in ("dynamic", "reference"):
        import importlib

        return importlib.import_module("." + name, __package__)
    raise AttributeError(f"module 'torch.ao.nn.quantized' has no attribute '{name}'")
