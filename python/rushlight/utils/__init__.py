"""Small helpers that programs import."""

from . import dlpack, hooks  # noqa: F401


def __getattr__(name):
    if name in ("checkpoint", "data"):
        from importlib import import_module

        return import_module("." + name, __name__)
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}'")
