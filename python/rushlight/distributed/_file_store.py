"""A store in a file, for processes that see the same files: a log of what was set, read and written under a lock."""

import os
import struct
import threading
import time
from multiprocessing.util import Finalize

from ._errors import DistStoreError
from ._store import Store, _checked, encoded, refuse_arguments, seconds_of
from ._table import Table

__all__ = ["FileStore"]

_RECORD = struct.Struct("!II")
_DELETED = 0xFFFFFFFF
_LARGEST = 1 << 26
_MEMBERS = "refcount/"
_BREATH = 0.005


class _Log:
    """The file, and what has been read of it."""

    def __init__(self, path):
        self.path, self.table, self.read = path, Table(), 0
        self.lock, self.owner = threading.RLock(), os.getpid()
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        facts = os.fstat(self.file)
        self.private = facts.st_uid == os.geteuid()
        if self.private and facts.st_mode & 0o077:
            # What members tell each other is nobody else's business.
            os.fchmod(self.file, 0o600)

    def update(self):
        """Reads what others have written; the caller holds the lock."""
        size = os.fstat(self.file).st_size
        while self.read < size:
            head = os.pread(self.file, _RECORD.size, self.read)
            if len(head) < _RECORD.size:
                break
            key_length, length = _RECORD.unpack(head)
            body = key_length + (0 if length == _DELETED else length)
            if self.read + _RECORD.size + body > size:
                # Its writer has died half-way.
                raise DistStoreError(f"{self.path} is damaged: remove it")
            data = os.pread(self.file, body, self.read + _RECORD.size)
            key = data[:key_length].decode()
            if length == _DELETED:
                self.table.values.pop(key, None)
            else:
                self.table.values[key] = data[key_length:]
            self.read += _RECORD.size + body

    def write(self, key, value):
        """Adds a record; the caller holds the lock and has read everything."""
        name = key.encode()
        if len(name) + len(value or b"") > _LARGEST:
            raise ValueError(f"a store takes values of up to {_LARGEST} bytes, got {len(value)}")
        length = _DELETED if value is None else len(value)
        data = _RECORD.pack(len(name), length) + name + (value or b"")
        done = 0
        while done < len(data):
            done += os.pwrite(self.file, data[done:], self.read + done)

    def __enter__(self):
        import fcntl

        if self.owner != os.getpid():
            # A process shares the lock with the one that it was forked from: it takes one of its own.
            self.file, self.owner, self.lock = os.open(self.path, os.O_RDWR | os.O_CLOEXEC), os.getpid(), threading.RLock()
        self.lock.acquire()
        fcntl.flock(self.file, fcntl.LOCK_EX)
        try:
            self.update()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        import fcntl

        fcntl.flock(self.file, fcntl.LOCK_UN)
        self.lock.release()


def _leave(log, owner):
    """The last member takes the file away."""
    if owner != os.getpid():
        return
    try:
        with log:
            count = log.table.add(_MEMBERS, -1)
            log.write(_MEMBERS, str(count).encode())
            if count <= 0:
                os.unlink(log.path)
    except (OSError, RuntimeError):
        pass
    os.close(log.file)


class FileStore(Store):
    """A store in a file.

    Args:
        file_name: the file; made if there is none, and taken away by the last who uses it.
        world_size: how many use it; any number unless given.
    """

    def __init__(self, file_name, world_size=-1):
        if not isinstance(file_name, str) or not isinstance(world_size, int):
            signature = (
                "torch._C._distributed_c10d.FileStore(file_name: str, world_size: typing.SupportsInt | "
                "typing.SupportsIndex = -1)"
            )
            refuse_arguments("__init__", [signature], (file_name, world_size), constructor=True)
        super().__init__()
        self.path = file_name
        self._log = _Log(file_name)
        with self._log:
            self._log.write(_MEMBERS, str(self._log.table.add(_MEMBERS, 1)).encode())
        Finalize(self, _leave, (self._log, os.getpid()), exitpriority=1)

    def has_extended_api(self):
        """Whether there are ``append``, ``multi_get`` and ``multi_set`` that do it at once: no."""
        return False

    def _await(self, keys, timeout, complaint):
        deadline = time.monotonic() + timeout
        breath = _BREATH
        while True:
            with self._log as log:
                if log.table.has(keys):
                    return [log.table.values[key] for key in keys]
            if time.monotonic() >= deadline:
                raise RuntimeError(complaint)
            time.sleep(min(breath, max(0.0, deadline - time.monotonic())))
            breath = min(breath * 1.5, 0.05)

    @_checked
    def set(self, key, value):
        """Sets a key."""
        with self._log as log:
            log.write(key, encoded(value))

    @_checked
    def get(self, key):
        """The value of a key, as bytes; waits until it is there."""
        seconds = seconds_of(self._timeout)
        return self._await([key], seconds, f"Timeout waiting for key: {key} after {round(seconds * 1000)} ms")[0]

    @_checked
    def add(self, key, amount):
        """Adds to a number, and returns the sum."""
        with self._log as log:
            total = log.table.add(key, amount)
            log.write(key, str(total).encode())
            return total

    def wait(self, keys, timeout=None):
        """Waits until all the keys are there."""
        self._await(list(keys), seconds_of(self._timeout if timeout is None else timeout), "Wait timeout")

    @_checked
    def check(self, keys):
        """Whether all the keys are there."""
        with self._log as log:
            return log.table.has(keys)

    @_checked
    def delete_key(self, key):
        """Forgets a key."""
        with self._log as log:
            log.write(key, None)
        return True

    def num_keys(self):
        """How many keys there are; one is the store's own."""
        with self._log as log:
            return len(log.table.values)

    @_checked
    def compare_set(self, key, expected, desired):
        """Sets a key if it has the expected value; returns the value that it has then."""
        with self._log as log:
            before = log.table.values.get(key)
            found = log.table.compare_set(key, encoded(expected), encoded(desired))
            if log.table.values.get(key) != before:
                log.write(key, found)
            return found

    @_checked
    def append(self, key, value):
        """Adds to the end of a value."""
        with self._log as log:
            log.write(key, log.table.values.get(key, b"") + encoded(value))

    def list_keys(self):
        """The names of all keys."""
        with self._log as log:
            return [key for key in log.table.values if key != _MEMBERS]

    def _is_private(self):
        """Whether only this user can read and write the file."""
        return self._log.private


FileStore.__module__ = "torch._C._distributed_c10d"
