"""``torch.cuda.nvtx``: marks for a profiler of devices, of which there are none."""

import contextlib

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]


def range_push(msg):
    """Nothing is marked: the depth that the reference gives without a profiler."""
    return -2


def range_pop():
    """Nothing is marked: the depth that the reference gives without a profiler."""
    return -2


def range_start(msg):
    """Nothing is marked."""
    return 0


def range_end(range_id):
    """Nothing is marked."""


def mark(msg):
    """Nothing is marked."""


@contextlib.contextmanager
def range(msg, *args, **kwargs):
    """Nothing is marked."""
    yield
