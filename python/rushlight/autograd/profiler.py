"""Marks for profilers. Nothing is measured: programs that set marks run unchanged."""

import functools
from typing import Any, Optional


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


class profile:
    """Measures operators. That is not part of this version: entering one that is enabled raises ``NotImplementedError``."""

    def __init__(self, enabled=True, **options):
        self.enabled: bool = enabled

    def __enter__(self):
        if not self.enabled:
            return None
        raise NotImplementedError(
            "torch.autograd.profiler.profile: Rushlight does not measure operators; cProfile and time.perf_counter measure programs"
        )

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any):
        return False


class emit_nvtx(profile):
    """Marks operators for tools of NVIDIA, which need a device: entering one that is enabled raises."""

    def __init__(self, enabled=True, record_shapes=False):
        super().__init__(enabled)


class emit_itt(emit_nvtx):
    """Marks operators for tools of Intel: entering one that is enabled raises."""


class EventList(list):
    """The events of a profile. Nothing makes one here."""


class FunctionEvent:
    """An event of a profile. Nothing makes one here."""


def kineto_available():
    """Whether there is the reference's library of profiles: no."""
    return False
