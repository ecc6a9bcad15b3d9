"""``torch.ao``: quantization and pruning of models. Its parts load when they are first used."""

import importlib

_PARTS = ("nn", "pruning", "quantization")
__all__ = list(_PARTS)


def __getattr__(name):
    if name in _PARTS:
        return importlib.import_module("." + name, __package__)
    raise AttributeError(f"module 'torch.ao' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_PARTS})
