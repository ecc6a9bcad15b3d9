"""Handles of collectives on their way, and the thread that works on them."""

import collections
import datetime
import threading
import time

from .. import _rushlight
from ..futures import _Plain as _Future

__all__ = ["Work"]


class Work:
    """A collective on its way.

    ``wait`` returns when it is done, and raises what has gone wrong. Without a thread of its own (receiving) it goes on
    when somebody asks.
    """

    def __init__(self, results=(), finish=None, ready=None, source=None):
        self._results, self._finish, self._ready = list(results), finish, ready
        self._source = source
        self._done, self._error = threading.Event(), None
        self._lock, self._future = threading.RLock(), None

    def _complete(self, error=None):
        with self._lock:
            if self._done.is_set():
                return
            self._error = error
            self._done.set()
            future = self._future
        if future is not None:
            self._settle(future)

    def _settle(self, future):
        if self._error is not None:
            future.set_exception(self._error)
        else:
            future.set_result(self._results)

    def _advance(self, seconds=None):
        """Does what is left to do in the thread of who asks, who waits so long at most."""
        with self._lock:
            if self._finish is not None and not self._done.is_set():
                try:
                    self._finish(seconds)
                except Exception as error:  # noqa: BLE001  told to who waits
                    self._complete(error)
                else:
                    self._complete()

    def wait(self, timeout=None):
        """Waits until it is done: True. Raises what has gone wrong, also when `timeout` is over."""
        seconds = None
        if isinstance(timeout, datetime.timedelta) and timeout.total_seconds() > 0:
            seconds = timeout.total_seconds()
        if self._finish is not None:
            self._advance(seconds)
        if not self._done.wait(seconds):
            raise RuntimeError("Operation timed out!")
        if self._error is not None:
            raise self._error
        return True

    synchronize = wait

    def is_completed(self):
        """Whether it is done, well or not."""
        if not self._done.is_set() and self._ready is not None and self._ready():
            self._advance()
        return self._done.is_set()

    def is_success(self):
        """Whether it is done, and well."""
        return self.is_completed() and self._error is None

    def exception(self):
        """What has gone wrong, or None."""
        return self._error

    def result(self):
        """The tensors that hold the results."""
        self.wait()
        return list(self._results)

    def source_rank(self):
        """Who has sent what was received."""
        if self._source is None:
            raise RuntimeError("sourceRank() may only be called on work objects that correspond to a recv or recv-from-any call.")
        return self._source()

    def get_future(self):
        """A future of the tensors that hold the results."""
        with self._lock:
            if self._future is not None:
                return self._future
            future = self._future = _Future()
            if self._done.is_set():
                self._settle(future)
                return future
        if self._finish is not None:
            threading.Thread(target=self._advance, name="rushlight-receive", daemon=True).start()
        return future


Work.__module__ = "torch.distributed.distributed_c10d"


class Worker(threading.Thread):
    """Does what was asked for, one after the other."""

    def __init__(self, name):
        super().__init__(name=f"rushlight-collectives-{name}", daemon=True)
        self._queue, self._changed, self._ended = collections.deque(), threading.Condition(), False
        self._idle = True
        self.start()

    def add(self, work, function):
        """Puts a piece of work into the queue."""
        with self._changed:
            self._queue.append((work, function))
            self._changed.notify_all()

    def run(self):
        _rushlight.set_grad_enabled(False)
        while True:
            with self._changed:
                while not self._queue:
                    if self._ended:
                        return
                    self._changed.wait()
                work, function = self._queue.popleft()
            try:
                function()
            except BaseException as error:  # noqa: BLE001  told to who waits
                work._complete(error)
            else:
                work._complete()
            # Nothing here keeps what the last piece of work has used.
            del work, function

    def end(self):
        """Stops once the queue is empty."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()


def deadline_in(seconds):
    """The moment that many seconds from now."""
    return time.monotonic() + seconds
