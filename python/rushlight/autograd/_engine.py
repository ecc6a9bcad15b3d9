"""Runs backwards, and what is to be called when one ends."""

import threading

from .. import _rushlight

_state = threading.local()


def run(*args, **kwargs):
    """Runs what was recorded backwards, and then what was queued meanwhile."""
    outer = getattr(_state, "callbacks", None)
    _state.callbacks = callbacks = []
    try:
        found = _rushlight.run_gradients(*args, **kwargs)
        while callbacks:
            callbacks.pop(0)()
        return found
    finally:
        _state.callbacks = outer


def is_running():
    """Whether this thread is inside a run that was begun in Python."""
    return getattr(_state, "callbacks", None) is not None


def queue_callback(callback):
    """Calls a function when the run backwards in which this is called has ended.

    Raises:
        RuntimeError: outside of a run.
    """
    if not is_running():
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    _state.callbacks.append(callback)
