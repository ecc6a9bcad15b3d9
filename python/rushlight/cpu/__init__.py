"""``torch.cpu``: the device that is there, asked for as others are."""

import contextlib

__all__ = ["current_device", "current_stream", "device_count", "is_available", "is_initialized", "set_device", "stream", "synchronize"]


def is_available():
    """Always."""
    return True


def is_initialized():
    """Always."""
    return True


def synchronize(device=None):
    """Nothing: calls end when they are done."""


def device_count():
    """One."""
    return 1


def set_device(device):
    """Nothing: there is one."""


def current_device():
    """Its name."""
    return "cpu"


def current_stream(device=None):
    """None: calls come one after the other."""


def stream(stream):
    """Nothing changes within."""
    return contextlib.nullcontext()


def __getattr__(name):
    if name == "amp":
        from importlib import import_module

        return import_module(".amp", __package__)
    raise AttributeError(f"module 'torch.cpu' has no attribute '{name}'")
