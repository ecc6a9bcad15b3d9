"""Switches of the default context that programs use as context managers and decorators."""

import functools

from . import _rushlight


class _Mode:
    """Sets gradient recording while active; works as decorator too."""

    on = False

    def __enter__(self):
        self.before = _rushlight.set_grad_enabled(self.on)
        return self

    def __exit__(self, *_):
        _rushlight.set_grad_enabled(self.before)

    def __call__(self, function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with type(self)():
                return function(*args, **kwargs)

        return wrapped


class no_grad(_Mode):
    """Gradients are not recorded inside."""


class enable_grad(_Mode):
    """Gradients are recorded inside."""

    on = True


class inference_mode(_Mode):
    """Gradients are not recorded inside."""

    def __init__(self, mode=True):
        self.on = not mode


class set_grad_enabled(_Mode):
    """Turns recording of gradients on or off, at once and until the end of a ``with``."""

    def __init__(self, mode):
        self.on = mode
        self.before = _rushlight.set_grad_enabled(mode)

    def __enter__(self):
        return self
