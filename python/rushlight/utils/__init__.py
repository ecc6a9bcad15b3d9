"""Small helpers that programs import."""

from . import dlpack, hooks  # noqa: F401

# Modules that are loaded when they are first asked for.
_LAZY = frozenset(("_pytree", "checkpoint", "data", "model_zoo"))


def __getattr__(name):
    if name in _LAZY:
        from importlib import import_module

        return import_module("." + name, __name__)
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}'")
