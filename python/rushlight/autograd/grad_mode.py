"""Switches of gradient recording, as context managers and decorators; scripts compile ``no_grad`` from this text."""

import functools
from typing import Any

import rushlight as torch

from .. import _rushlight


class _Mode:
    """Sets gradient recording while active; works as decorator too."""

    on = False

    def __enter__(self):
        self.prev = _rushlight.set_grad_enabled(self.on)

    def __exit__(self, *_):
        _rushlight.set_grad_enabled(self.prev)

    def __call__(self, function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with self.clone():
                return function(*args, **kwargs)

        return wrapped

    def clone(self):
        """Another switch of the same kind."""
        return type(self)()


class no_grad(_Mode):
    """Gradients are not recorded inside."""

    def __init__(self) -> None:
        self.prev = False

    def __enter__(self) -> None:
        self.prev = torch.is_grad_enabled()
        torch.set_grad_enabled(False)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        torch.set_grad_enabled(self.prev)


class enable_grad(_Mode):
    """Gradients are recorded inside."""

    on = True


class inference_mode(_Mode):
    """Gradients are not recorded inside."""

    # How many are active.
    _depth = 0

    def __init__(self, mode=True):
        self.on = not mode

    def __enter__(self):
        super().__enter__()
        inference_mode._depth += not self.on

    def __exit__(self, *exception):
        inference_mode._depth -= not self.on
        super().__exit__(*exception)

    def clone(self):
        return type(self)(not self.on)


def is_inference_mode_enabled():
    """Whether an ``inference_mode`` is active."""
    return inference_mode._depth > 0


class set_grad_enabled(_Mode):
    """Turns recording of gradients on or off, at once and until the end of a ``with``."""

    def __init__(self, mode):
        self.on = mode
        self.prev = _rushlight.set_grad_enabled(mode)

    def __enter__(self):
        return None

    def clone(self):
        return type(self)(self.on)
