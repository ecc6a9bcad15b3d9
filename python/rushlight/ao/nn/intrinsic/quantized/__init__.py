"""Layers that run as one on quantized numbers."""

from .modules import *  # noqa: F401,F403
from .modules import __all__ as _names

__all__ = list(_names)


def __getattr__(name):
    if name == "dynamic":
        import importlib

        return importlib.import_module("." + name, __package__)
    raise AttributeError(f"module 'torch.ao.nn.intrinsic.quantized' has no attribute '{name}'")
