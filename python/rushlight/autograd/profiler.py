"""``torch.autograd.profiler``: what operators take, and marks for ranges of a program."""

import functools
from typing import Any, Optional

import rushlight as torch

from ._measuring import emit_itt, emit_nvtx, kineto_available, profile  # noqa: F401
from .profiler_util import MEMORY_EVENT_NAME, OUT_OF_MEMORY_EVENT_NAME, DeviceType, EventList, FunctionEvent  # noqa: F401


class _Decorator:
    def __call__(self, function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return wrapped


class record_function(_Decorator):
    """A named range of a program, which profiles show; also in scripts.

    Args:
        name: the name.
        args: a text that goes with it.
    """

    def __init__(self, name: str, args: Optional[str] = None):
        self.name: str = name
        self.args: Optional[str] = args
        self.run_callbacks_on_exit: bool = True
        self.record = torch.jit.annotate(Optional[torch.Tensor], None)

    def __enter__(self):
        self.record = torch.ops.profiler._record_function_enter(self.name, self.args)
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any):
        if self.run_callbacks_on_exit:
            record = self.record
            assert record is not None
            torch.ops.profiler._record_function_exit(record)
