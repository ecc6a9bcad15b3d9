"""Switches of gradient recording, as context managers and decorators; scripts compile ``no_grad`` from this text."""

import functools
import warnings
from typing import Any

import rushlight as torch

from .. import _rushlight

# The bit of a code object that makes calls of it give generators; `inspect` has the name, and takes long to import.
_GENERATOR = 0x20


def _is_generator(function):
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code is not None and bool(code.co_flags & _GENERATOR)


class _Mode:
    """Sets gradient recording while active; works as decorator too, with and without parentheses."""

    on = False

    def __new__(cls, function=None):
        mode = super().__new__(cls)
        if not callable(function):
            return mode
        mode.__init__()
        return mode(function)

    def __enter__(self):
        self.prev = _rushlight.set_grad_enabled(self.on)

    def __exit__(self, *_):
        _rushlight.set_grad_enabled(self.prev)

    def __call__(self, function):
        if isinstance(function, type):
            _warn_of_class()
        if _is_generator(function):
            return _mode_of_generator(self, function)

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with self.clone():
                return function(*args, **kwargs)

        return wrapped

    def clone(self):
        """Another switch of the same kind."""
        return type(self)()


def _warn_of_class():
    warnings.warn(
        "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
        "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method and "
        "nothing else.",
        FutureWarning,
        stacklevel=3,
    )


def _mode_of_generator(mode, function):
    """A generator whose steps run under a mode, while the program between them does not."""

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        steps = function(*args, **kwargs)
        resume, given = steps.send, None
        try:
            while True:
                with mode.clone():
                    step = resume(given)
                try:
                    resume, given = steps.send, (yield step)
                except GeneratorExit:
                    with mode.clone():
                        steps.close()
                    raise
                except BaseException as error:  # The generator decides what becomes of it.
                    resume, given = steps.throw, error
        except StopIteration as end:
            return end.value

    return wrapped


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
    """Gradients are not recorded inside, and tensors that are made there may be changed there alone."""

    def __new__(cls, mode=True):
        return super().__new__(cls, mode if callable(mode) else None)

    def __init__(self, mode=True):
        self.on = not mode

    def __enter__(self):
        super().__enter__()
        self.before = _rushlight.set_inference_mode(not self.on)

    def __exit__(self, *exception):
        _rushlight.set_inference_mode(self.before)
        super().__exit__(*exception)

    def clone(self):
        return type(self)(not self.on)


def is_inference_mode_enabled():
    """Whether an ``inference_mode`` is active."""
    return _rushlight.is_inference_mode()


class set_grad_enabled(_Mode):
    """Turns recording of gradients on or off, at once and until the end of a ``with``."""

    def __new__(cls, mode):
        return object.__new__(cls)

    def __init__(self, mode):
        self.on = mode
        self.prev = _rushlight.set_grad_enabled(mode)

    def __repr__(self):
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.on})"

    def __enter__(self):
        _rushlight.set_grad_enabled(self.on)

    def __call__(self, function):
        _rushlight.set_grad_enabled(self.prev)
        return super().__call__(function)

    def clone(self):
        return type(self)(self.on)


class set_multithreading_enabled(_Mode):  # noqa: N801  the reference's name
    """Says whether runs backwards may use several threads. They use one each here, so that nothing else changes."""

    _on = True

    def __new__(cls, mode):
        return object.__new__(cls)

    def __init__(self, mode):
        self.on, self.prev = mode, type(self)._on
        type(self)._on = mode

    def __enter__(self):
        pass

    def __exit__(self, *_):
        type(self)._on = self.prev

    def __call__(self, function):
        type(self)._on = self.prev
        return super().__call__(function)

    def clone(self):
        """Another switch of the same kind."""
        return type(self)(self.on)
