"""``torch.cuda.profiler``: a profiler of devices, of which there are none."""

import contextlib

from .._absent import refuse
from . import _NO_DRIVER

__all__ = ["init", "profile", "start", "stop"]

refuse(globals(), ("init", "start", "stop"), RuntimeError, _NO_DRIVER)


@contextlib.contextmanager
def profile():
    """Needs a device; there is none."""
    start()
    yield
