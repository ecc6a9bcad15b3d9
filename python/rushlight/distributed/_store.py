"""Stores: keys and values that the processes of a job share, with waiting for what is not there yet.

``Store`` is what they have in common, and what a program derives its own from; ``HashStore`` lives in one process,
``PrefixStore`` is a part of another store. ``_file_store.py`` and ``_tcp_store.py`` have those that processes share.
"""

import datetime
import functools
import threading
import time

from ._errors import DistStoreError
from ._table import Table

__all__ = ["HashStore", "PrefixStore", "Store"]

_DEFAULT_TIMEOUT = datetime.timedelta(seconds=300)
_SPACE = "torch._C._distributed_c10d."


def refuse_arguments(name, signatures, given, constructor=False):
    """Raises what the reference does for arguments of other types."""
    lines = "".join(f"    {i + 1}. {signature}\n" for i, signature in enumerate(signatures))
    kind = "constructor" if constructor else "function"
    raise TypeError(
        f"{name}(): incompatible {kind} arguments. The following argument types are supported:\n{lines}\n"
        f"Invoked with: {', '.join(repr(value) for value in given)}"
    )


# By method: the types of its arguments, as they are told and as they are checked.
_ARGUMENTS = {
    "set": ("arg0: str, arg1: str) -> None", ("key", "value")),
    "get": ("arg0: str) -> bytes", ("key",)),
    "add": ("arg0: str, arg1: typing.SupportsInt | typing.SupportsIndex) -> int", ("key", "number")),
    "check": ("arg0: collections.abc.Sequence[str]) -> bool", ("keys",)),
    "compare_set": ("arg0: str, arg1: str, arg2: str) -> bytes", ("key", "value", "value")),
    "delete_key": ("arg0: str) -> bool", ("key",)),
    "append": ("arg0: str, arg1: str) -> None", ("key", "value")),
    "multi_get": ("arg0: collections.abc.Sequence[str]) -> list[bytes]", ("keys",)),
    "multi_set": (
        "arg0: collections.abc.Sequence[str], arg1: collections.abc.Sequence[str]) -> None", ("keys", "values"),
    ),
    "queue_push": ("arg0: str, arg1: str) -> None", ("key", "value")),
    "queue_len": ("arg0: str) -> int", ("key",)),
    "set_timeout": ("arg0: datetime.timedelta) -> None", ("time",)),
}


def _is_text(value):
    return isinstance(value, (str, bytes, bytearray))


_CHECKS = {
    "key": lambda value: isinstance(value, str),
    "value": _is_text,
    "number": lambda value: isinstance(value, int),
    "keys": lambda value: isinstance(value, (list, tuple)) and all(isinstance(key, str) for key in value),
    "values": lambda value: isinstance(value, (list, tuple)) and all(_is_text(part) for part in value),
    "time": lambda value: isinstance(value, datetime.timedelta),
}


def encoded(value):
    """The bytes of a value."""
    return value.encode() if isinstance(value, str) else bytes(value)


def _checked(function):
    """A method that refuses arguments of other types."""
    told, kinds = _ARGUMENTS[function.__name__]

    @functools.wraps(function)
    def method(self, *args):
        if len(args) != len(kinds) or not all(_CHECKS[kind](value) for kind, value in zip(kinds, args)):
            refuse_arguments(function.__name__, [f"(self: {_SPACE}Store, {told}"], (self, *args))
        return function(self, *args)

    return method


class Store:
    """What stores have in common. One of a program's own has ``set``, ``get`` and what else is called of it."""

    _timeout = _DEFAULT_TIMEOUT

    def __init__(self):
        pass

    @property
    def timeout(self):
        """How long ``get`` and ``wait`` wait."""
        return self._timeout

    def set_timeout(self, timeout):
        """Changes how long ``get`` and ``wait`` wait."""
        if not isinstance(timeout, datetime.timedelta):
            refuse_arguments("set_timeout", [f"(self: {_SPACE}Store, {_ARGUMENTS['set_timeout'][0]}"], (self, timeout))
        self._timeout = timeout

    def has_extended_api(self):
        """Whether there are ``append``, ``multi_get`` and ``multi_set``."""
        return False

    def _missing(self, name):
        raise RuntimeError(f'Tried to call pure virtual function "::c10d::Store::{name}"')

    def set(self, key, value):
        """Sets a key."""
        self._missing("set")

    def get(self, key):
        """The value of a key, as bytes; waits until it is there."""
        self._missing("get")

    def add(self, key, amount):
        """Adds to a number, and returns the sum."""
        self._missing("add")

    def wait(self, keys, timeout=None):
        """Waits until all the keys are there."""
        self._missing("wait")

    def check(self, keys):
        """Whether all the keys are there."""
        self._missing("check")

    def delete_key(self, key):
        """Forgets a key: whether it was there."""
        self._missing("deleteKey")

    def num_keys(self):
        """How many keys there are."""
        self._missing("getNumKeys")

    def compare_set(self, key, expected, desired):
        """Sets a key if it has the expected value; returns the value that it has then."""
        self._missing("compareSet")

    def append(self, key, value):
        """Adds to the end of a value."""
        self._missing("append")

    def multi_get(self, keys):
        """The values of several keys."""
        return [self.get(key) for key in keys]

    def multi_set(self, keys, values):
        """Sets several keys."""
        for key, value in zip(keys, values):
            self.set(key, value)

    def queue_push(self, key, value):
        """Adds to the end of a queue."""
        raise NotImplementedError("queue support is not implemented.")

    def queue_pop(self, key, block=True):
        """Takes the first of a queue; waits for one unless told not to."""
        raise NotImplementedError("queue support is not implemented.")

    def queue_len(self, key):
        """How many a queue holds."""
        raise NotImplementedError("queue support is not implemented.")

    def list_keys(self):
        """The names of all keys."""
        raise NotImplementedError("listKeys support is not implemented.")

    def clone(self):
        """Another way to the same keys and values."""
        return self

    def barrier(self, key, world_size, timeout=None):
        """Waits until so many have come here under a key."""
        last = f"{key}/last_member"
        if self.add(f"{key}/num_members", 1) >= world_size:
            self.set(last, "1")
        self.wait([last], self._timeout if timeout is None else timeout)


def seconds_of(timeout):
    """A limit of time in seconds."""
    return timeout.total_seconds() if isinstance(timeout, datetime.timedelta) else float(timeout)


class HashStore(Store):
    """A store for the threads of one process."""

    def __init__(self, *args):
        if args:
            refuse_arguments("__init__", [f"{_SPACE}HashStore()"], args, constructor=True)
        super().__init__()
        self._table, self._changed = Table(), threading.Condition()

    def has_extended_api(self):
        """Whether there are ``append``, ``multi_get`` and ``multi_set``: yes."""
        return True

    def _await(self, keys, timeout):
        deadline = time.monotonic() + seconds_of(timeout)
        while not self._table.has(keys):
            if not self._changed.wait(max(0.0, deadline - time.monotonic())) and not self._table.has(keys):
                raise DistStoreError("Wait timeout")

    def _change(self, name, *args):
        with self._changed:
            found = getattr(self._table, name)(*args)
            self._changed.notify_all()
            return found

    @_checked
    def set(self, key, value):
        """Sets a key."""
        with self._changed:
            self._table.values[key] = encoded(value)
            self._changed.notify_all()

    @_checked
    def get(self, key):
        """The value of a key, as bytes; waits until it is there."""
        with self._changed:
            self._await([key], self._timeout)
            return self._table.values[key]

    @_checked
    def add(self, key, amount):
        """Adds to a number, and returns the sum."""
        return self._change("add", key, amount)

    def wait(self, keys, timeout=None):
        """Waits until all the keys are there."""
        with self._changed:
            self._await(keys, self._timeout if timeout is None else timeout)

    @_checked
    def check(self, keys):
        """Whether all the keys are there."""
        with self._changed:
            return self._table.has(keys)

    @_checked
    def delete_key(self, key):
        """Forgets a key: whether it was there."""
        return self._change("delete", key)

    def num_keys(self):
        """How many keys there are."""
        return len(self._table.keys())

    @_checked
    def compare_set(self, key, expected, desired):
        """Sets a key if it has the expected value; returns the value that it has then."""
        return self._change("compare_set", key, encoded(expected), encoded(desired))

    @_checked
    def append(self, key, value):
        """Adds to the end of a value."""
        self._change("append", key, encoded(value))

    @_checked
    def multi_get(self, keys):
        """The values of several keys; waits until all are there."""
        with self._changed:
            self._await(keys, self._timeout)
            return [self._table.values[key] for key in keys]

    @_checked
    def multi_set(self, keys, values):
        """Sets several keys."""
        for key, value in zip(keys, values):
            self.set(key, value)

    @_checked
    def queue_push(self, key, value):
        """Adds to the end of a queue."""
        self._change("push", key, encoded(value))

    def queue_pop(self, key, block=True):
        """Takes the first of a queue; waits for one unless told not to."""
        with self._changed:
            if block:
                self._await([key], self._timeout)
            return self._table.pop(key)

    @_checked
    def queue_len(self, key):
        """How many a queue holds."""
        return self._table.length(key)

    def list_keys(self):
        """The names of all keys."""
        with self._changed:
            return self._table.keys()


class PrefixStore(Store):
    """The keys of a store that begin alike.

    Args:
        prefix: what they begin with, before a ``/``.
        store: the store.
    """

    def __init__(self, prefix, store):
        if not isinstance(prefix, str) or not isinstance(store, Store):
            refuse_arguments(
                "__init__", [f"{_SPACE}PrefixStore(prefix: str, store: {_SPACE}Store)"], (prefix, store), constructor=True
            )
        super().__init__()
        self._prefix, self._store = prefix, store

    @property
    def underlying_store(self):
        """The store that this is a part of."""
        return self._store

    @property
    def timeout(self):
        """How long ``get`` and ``wait`` wait."""
        return self._store.timeout

    def set_timeout(self, timeout):
        """Changes how long ``get`` and ``wait`` wait, in the whole store."""
        self._store.set_timeout(timeout)

    def has_extended_api(self):
        """Whether there are ``append``, ``multi_get`` and ``multi_set``."""
        return self._store.has_extended_api()

    def _key(self, key):
        return f"{self._prefix}/{key}"

    def _keys(self, keys):
        return [self._key(key) for key in keys]

    @_checked
    def set(self, key, value):
        """Sets a key."""
        self._store.set(self._key(key), encoded(value))

    @_checked
    def get(self, key):
        """The value of a key, as bytes; waits until it is there."""
        return encoded(self._store.get(self._key(key)))

    @_checked
    def add(self, key, amount):
        """Adds to a number, and returns the sum."""
        return self._store.add(self._key(key), amount)

    def wait(self, keys, timeout=None):
        """Waits until all the keys are there."""
        if timeout is None:
            self._store.wait(self._keys(keys))
        else:
            self._store.wait(self._keys(keys), timeout)

    @_checked
    def check(self, keys):
        """Whether all the keys are there."""
        return self._store.check(self._keys(keys))

    @_checked
    def delete_key(self, key):
        """Forgets a key: whether it was there."""
        return self._store.delete_key(self._key(key))

    def num_keys(self):
        """How many keys the whole store has."""
        return self._store.num_keys()

    @_checked
    def compare_set(self, key, expected, desired):
        """Sets a key if it has the expected value; returns the value that it has then."""
        return self._store.compare_set(self._key(key), encoded(expected), encoded(desired))

    @_checked
    def append(self, key, value):
        """Adds to the end of a value."""
        self._store.append(self._key(key), encoded(value))

    @_checked
    def multi_get(self, keys):
        """The values of several keys; waits until all are there."""
        return self._store.multi_get(self._keys(keys))

    @_checked
    def multi_set(self, keys, values):
        """Sets several keys."""
        self._store.multi_set(self._keys(keys), [encoded(value) for value in values])

    @_checked
    def queue_push(self, key, value):
        """Adds to the end of a queue."""
        self._store.queue_push(self._key(key), encoded(value))

    def queue_pop(self, key, block=True):
        """Takes the first of a queue; waits for one unless told not to."""
        return self._store.queue_pop(self._key(key), block)

    @_checked
    def queue_len(self, key):
        """How many a queue holds."""
        return self._store.queue_len(self._key(key))

    def list_keys(self):
        """The names of the keys of this part."""
        begin = self._prefix + "/"
        return [key.removeprefix(begin) for key in self._store.list_keys() if key.startswith(begin)]

    def clone(self):
        """Another way to the same keys and values."""
        return PrefixStore(self._prefix, self._store.clone())


for _class in (Store, HashStore):
    _class.__module__ = "torch._C._distributed_c10d"
PrefixStore.__module__ = "torch.distributed.distributed_c10d"
