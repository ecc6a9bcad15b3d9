"""``torch.ao.nn.qat``: layers that train with weights rounded as they will be quantized."""

from .modules import *  # noqa: F401,F403
from .modules import __all__ as _names

__all__ = list(_names)


def __getattr__(name):
    if name == "dynamic":
        import importlib

        return importlib.import_module("." + name, __package__)
    raise AttributeError(f"module 'torch.ao.nn.qat' has no attribute '{name}'")
