"""Marks for profilers. Nothing is measured: programs that set marks run unchanged."""

import functools
from typing import Any, Optional
from ._measuring import EventList, FunctionEvent, emit_itt, emit_nvtx, kineto_available, profile  # noqa: F401


class _Decorator:
    def __call__(self, function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return wrapped


class record_function(_Decorator):
    """A named range of a program."""

    def __init__(self, name: str, args: Optional[str] = None):
        self.name: str = name
        self.args: Optional[str] = args
        self.run_callbacks_on_exit: bool = True

    def __enter__(self):
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any):
        pass
