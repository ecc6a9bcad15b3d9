"""``torch.ao.nn.intrinsic``: layers that run as one, as a convolution with the ReLU after it."""

from .modules import *  # noqa: F401,F403
from .modules import _FusedModule, __all__ as _names  # noqa: F401

__all__ = list(_names)


def __getattr__(name):
    if name in ("qat", "quantized"):
        import importlib

        return importlib.import_module("." + name, __package__)
    raise AttributeError(f"module 'torch.ao.nn.intrinsic' has no attribute '{name}'")
