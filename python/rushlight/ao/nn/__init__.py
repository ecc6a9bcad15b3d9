"""``torch.ao.nn``: modules of quantized models, and those that take part in making them. Its parts load when they are first used."""

import importlib

_PARTS = ("intrinsic", "qat", "quantizable", "quantized")
__all__ = list(_PARTS)


def __getattr__(name):
    if name in _PARTS:
        return importlib.import_module("." + name, __package__)
    raise AttributeError(f"module 'torch.ao.nn' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_PARTS})
