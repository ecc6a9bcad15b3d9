"""``torch.futures``: values that come later. Scripts know the type; in plain Python a future is a box."""

import sys
import typing

from . import _rushlight

_T = typing.TypeVar("_T")


def _told(error):
    return f"{type(error).__name__}: {error}"


def _check_devices(devices):
    """Refuses devices without an index, and devices of several types."""
    devices = [_rushlight.device(device) for device in devices or ()]
    for device in devices:
        if device.type != devices[0].type:
            raise ValueError(f"Expected all devices to be of the same type, but got a mismatch between {devices[0]} and {device}")
    for device in devices:
        if device.index is None:
            raise ValueError(f"Expected devices to have indices, got {device}")


class _Plain:
    """A value that is there already, or will be once :meth:`set_result` is called."""

    def __init__(self, shared=None, *, devices=None):
        _check_devices(devices)
        # A future that a script has made keeps the script's own.
        self._shared = shared if isinstance(shared, _rushlight.Shared) else None
        self._state = None
        self._callbacks = []
        # The task of a trace whose result this is.
        self._task = None

    def done(self):
        """Whether the value, or an exception in its place, is there."""
        return self._state is not None or self._shared is not None

    def wait(self):
        """The value; raises the exception in its place."""
        if self._shared is not None:
            return self._shared.wait()
        if self._state is None:
            self._await_others()
        kind, value = self._state
        if kind == "exception":
            raise value
        if self._task is not None:
            self._task.wait(value)
        return value

    def _await_others(self):
        """Waits for another thread to complete the future; raises where there is none."""
        import threading

        come = threading.Event()
        self.add_done_callback(lambda _: come.set())
        while not come.wait(0.05):
            # Threads that only serve a store to others complete nothing.
            others = [t for t in threading.enumerate() if not getattr(t, "completes_nothing", False)]
            if len(others) < 2 and self._state is None:
                raise RuntimeError("waiting for a future that nothing in this process will complete")

    value = wait

    def __reduce_ex__(self, protocol):
        raise RuntimeError("Can not pickle torch.futures.Future")

    def set_result(self, result):
        """Completes the future."""
        self._complete(("result", result))

    def set_exception(self, result):
        """Completes the future with an exception."""
        if not isinstance(result, BaseException):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._complete(("exception", result))

    def _complete(self, state):
        if self._state is not None:
            raise RuntimeError(
                "Attempting to mark a completed Future as complete again. Note that a Future can only be marked "
                "completed once."
            )
        self._state = state
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            self._tell(callback)

    def add_done_callback(self, callback):
        """Calls ``callback`` with the future when it completes, at once if it has."""
        if not callable(callback):
            raise TypeError(f"add_done_callback(): incompatible function arguments: {callback!r} cannot be called")
        if self.done():
            self._tell(callback)
        else:
            self._callbacks.append(callback)

    def _tell(self, callback):
        """Calls a callback; what it raises concerns nobody who waits."""
        try:
            callback(self)
        except Exception as error:  # noqa: BLE001  shown, not raised
            print(f"[E] Got the following error when running the callback: {_told(error)}", file=sys.stderr)

    def then(self, callback):
        """A future of what ``callback`` returns for this one."""
        out = _Plain()

        def forward(future):
            try:
                result = callback(future)
            except Exception as error:  # noqa: BLE001  handed on to who waits
                out.set_exception(RuntimeError(f"Got the following error when running the callback: {_told(error)}"))
            else:
                out.set_result(result)

        self.add_done_callback(forward)
        return out


# What scripts, `then` and `collect_all` hand out, under the name that it prints with.
_Plain.__name__ = _Plain.__qualname__ = "Future"
_Plain.__module__ = "torch"
_rushlight.register("Future", _Plain)


class Future(_Plain, typing.Generic[_T]):
    """A future that a program makes itself."""


Future.__module__ = "torch.jit"


def _refuse_none(futures):
    if any(future is None for future in futures):
        raise RuntimeError("Future can't be None")


def _handed_out(future):
    """A complete future as others hand it out: one that a program made has another class there."""
    if type(future) is _Plain:
        return future
    out = _Plain(future._shared)
    out._state, out._task = future._state, future._task
    return out


def collect_all(futures):
    """A future of all the futures, complete when they are."""
    _refuse_none(futures)
    out = _Plain()
    waiting = [f for f in futures if not f.done()]
    if not waiting:
        out.set_result([_handed_out(future) for future in futures])
        return out
    left = len(waiting)

    def one_more(_):
        nonlocal left
        left -= 1
        if left == 0:
            out.set_result([_handed_out(future) for future in futures])

    for future in waiting:
        future.add_done_callback(one_more)
    return out


def wait_all(futures):
    """The values of all the futures."""
    return [future.wait() for future in collect_all(futures).wait()]
