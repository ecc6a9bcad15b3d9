"""``torch.cuda.profiler``: a profiler of devices, of which there are none."""

import contextlib

from . import _refused

__all__ = ["init", "profile", "start", "stop"]

init, start, stop = map(_refused, ("init", "start", "stop"))


@contextlib.contextmanager
def profile():
    """Needs a device; there is none."""
    start()
    yield
