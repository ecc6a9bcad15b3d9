"""A store that one process serves over TCP.

A request is a number that says what is asked, a time limit in milliseconds and a list of byte strings; the answer is a state
and a list of byte strings. Only who knows the secret of the job is served (``_secret.py``), at most 64 MiB at a time.
"""

import datetime
import os
import selectors
import socket
import struct
import threading
import time
import weakref
from multiprocessing.util import Finalize

from . import _secret
from ._errors import DistError, DistNetworkError, DistStoreError, QueueEmptyError
from ._sockets import Door, introduce, is_loopback, left, listen, read_exactly, resolve
from ._store import Store, _checked, encoded, refuse_arguments, seconds_of
from ._table import MEMBERS, Table

__all__ = ["TCPStore"]

_HEAD = struct.Struct("!BqI")
_LARGEST = 1 << 26
_KIND = b"stor"
# How long after the limit of a request its answer may come.
_GRACE = 5.0
_DONE, _TIMED_OUT, _EMPTY, _WRONG = range(4)
# What can be asked.
(
    _SET, _GET, _ADD, _WAIT, _CHECK, _DELETE, _COUNT, _COMPARE_SET, _APPEND, _PUSH, _POP, _POP_NOW, _LENGTH, _KEYS,
) = range(14)
_BLOCKING = frozenset((_GET, _WAIT, _POP))


def _packed(parts):
    return struct.pack("!I", len(parts)) + b"".join(struct.pack("!I", len(part)) + part for part in parts)


def _unpacked(data):
    """The byte strings of a list; None where it is no list."""
    if len(data) < 4:
        return None
    (count,) = struct.unpack_from("!I", data)
    parts, at = [], 4
    for _ in range(count):
        if at + 4 > len(data):
            return None
        (length,) = struct.unpack_from("!I", data, at)
        at += 4
        if at + length > len(data):
            return None
        parts.append(bytes(data[at : at + length]))
        at += length
    return parts if at == len(data) else None


class _Client:
    """A connection that is served."""

    def __init__(self, sock):
        self.sock, self.inbox, self.outbox = sock, bytearray(), bytearray()

    def request(self):
        """The next request that has come as a whole: ``(what, limit, parts)``, None for none yet, False for nonsense."""
        if len(self.inbox) < _HEAD.size:
            return None
        what, limit, length = _HEAD.unpack_from(self.inbox)
        if length > _LARGEST:
            return False
        if len(self.inbox) < _HEAD.size + length:
            return None
        parts = _unpacked(self.inbox[_HEAD.size : _HEAD.size + length])
        del self.inbox[: _HEAD.size + length]
        return False if parts is None else (what, limit, parts)


# The servers of this process.
_live = weakref.WeakSet()


class _Server(threading.Thread):
    """Serves a table to all who know the secret."""

    # For who waits for a future: no thread of this kind will set it.
    completes_nothing = True

    def __init__(self, listener, secret):
        super().__init__(name="rushlight-store", daemon=True)
        self.table, self.selector = Table(), selectors.DefaultSelector()
        self.door = Door(listener, secret, self.selector)
        self.port = listener.getsockname()[1]
        self.clients = set()
        # Who waits for what: (client, what, parts, deadline).
        self.waiting = []
        self.wake, self.alarm = socket.socketpair()
        self.wake.setblocking(False)
        self.selector.register(self.wake, selectors.EVENT_READ, None)
        self.stopped = False
        self.published = False
        _live.add(self)

    def run(self):
        try:
            while not self.stopped:
                self._step()
        finally:
            self._close()

    def _step(self):
        for key, _ in self.selector.select(self._pause()):
            if key.data is None:
                continue
            if not isinstance(key.data, _Client):
                came = self.door.event(key)
                if came is not None:
                    self._admit(*came)
                continue
            if key.data in self.clients:
                self._serve(key.data)
        now = time.monotonic()
        for entry in [e for e in self.waiting if e[3] <= now]:
            self.waiting.remove(entry)
            self._answer(entry[0], _TIMED_OUT, [])

    def _pause(self):
        pauses = [self.door.sweep()]
        if self.waiting:
            pauses.append(left(min(entry[3] for entry in self.waiting)))
        return min((p for p in pauses if p is not None), default=None)

    def _admit(self, sock, claim):
        if claim[0] != _KIND:
            sock.close()
            return
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = _Client(sock)
        self.clients.add(client)
        self.selector.register(sock, selectors.EVENT_READ, client)

    def _drop(self, client):
        self.clients.discard(client)
        self.waiting = [entry for entry in self.waiting if entry[0] is not client]
        self.selector.unregister(client.sock)
        client.sock.close()

    def _serve(self, client):
        try:
            if client.outbox:
                self._flush(client)
            data = client.sock.recv(1 << 16)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if not data:
            self._drop(client)
            return
        client.inbox += data
        while True:
            request = client.request()
            if request is None:
                return
            if request is False:
                self._drop(client)
                return
            self._handle(client, *request)
            if client not in self.clients:
                return

    def _handle(self, client, what, limit, parts):
        try:
            ready = what not in _BLOCKING or self.table.has([p.decode() for p in parts])
            if not ready:
                self.waiting.append((client, what, parts, time.monotonic() + max(limit, 0) / 1000))
                return
            state, answer = _DONE, self._do(what, parts)
        except QueueEmptyError:
            state, answer = _EMPTY, []
        except (ValueError, IndexError, struct.error) as error:
            state, answer = _WRONG, [str(error).encode()]
        self._answer(client, state, answer)
        if what in (_SET, _ADD, _COMPARE_SET, _APPEND, _PUSH):
            self._look_again()

    def _look_again(self):
        """Answers those whose wait is over."""
        for entry in list(self.waiting):
            client, what, parts, _ = entry
            if entry in self.waiting and self.table.has([p.decode() for p in parts]):
                self.waiting.remove(entry)
                self._answer(client, _DONE, self._do(what, parts))

    def _do(self, what, parts):
        table, key = self.table, parts[0].decode() if parts else None
        if what == _SET:
            for at in range(0, len(parts), 2):
                table.values[parts[at].decode()] = parts[at + 1]
            return []
        if what == _GET:
            return [table.values.get(p.decode(), b"") for p in parts]
        if what == _ADD:
            return [str(table.add(key, int(parts[1]))).encode()]
        if what == _WAIT:
            return []
        if what == _CHECK:
            return [b"1" if table.has([p.decode() for p in parts]) else b"0"]
        if what == _DELETE:
            return [b"1" if table.delete(key) else b"0"]
        if what == _COUNT:
            return [str(len(table.values)).encode()]
        if what == _COMPARE_SET:
            return [table.compare_set(key, parts[1], parts[2])]
        if what == _APPEND:
            table.append(key, parts[1])
            return []
        if what == _PUSH:
            table.push(key, parts[1])
            return []
        if what in (_POP, _POP_NOW):
            return [table.pop(key)]
        if what == _LENGTH:
            return [str(table.length(key)).encode()]
        if what == _KEYS:
            return [k.encode() for k in table.keys()]
        raise ValueError(f"a store does not know request {what}")

    def _answer(self, client, state, parts):
        body = _packed(parts)
        client.outbox += _HEAD.pack(state, 0, len(body)) + body
        self._flush(client)

    def _flush(self, client):
        try:
            while client.outbox:
                sent = client.sock.send(client.outbox)
                del client.outbox[:sent]
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            self._drop(client)
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.outbox else 0)
        self.selector.modify(client.sock, events, client)

    def stop(self):
        """Serves no longer."""
        self.stopped = True
        try:
            self.alarm.send(b"x")
        except OSError:
            pass

    def _close(self):
        if self.published:
            _secret.withdraw(self.port)
        for client in list(self.clients):
            self._drop(client)
        self.door.close()
        self.selector.close()


class _Unpublished(ConnectionError):
    """The secret of a store is not there yet, so that nobody serves it."""


def _stop(server, owner):
    if owner == os.getpid():
        server.stop()
        server.join(2.0)


def _secret_of(host, port, create):
    """The secret for a store at an address, and whether the address is on this machine alone."""
    known = _secret.configured()
    try:
        local = all(is_loopback(address[0]) for _, address in resolve(host, port))
    except OSError as error:
        raise ConnectionError(str(error)) from None
    if known is None and not local:
        raise DistError(
            f"a store at {host}, which other machines can reach, needs a secret: set RUSHLIGHT_RPC_SECRET or "
            "RUSHLIGHT_RPC_SECRET_FILE in every process of the job, or meet at 127.0.0.1"
        )
    if known is None:
        known = _secret.fresh() if create else _secret.published(port)
        if known is None:
            raise _Unpublished("nobody has published the secret of this store yet")
    return known, local


# By address: the servers of this process, for stores that share one.
_servers = weakref.WeakValueDictionary()


def _serve(host, port, share, listen_fd):
    if share and (host, port) in _servers:
        return _servers[host, port]
    secret, local = _secret_of(host, port, create=True)
    if listen_fd is None:
        listener = listen(host, port)
    else:
        listener = socket.socket(fileno=listen_fd)
        listener.setblocking(False)
    server = _Server(listener, secret)
    if local and _secret.configured() is None:
        _secret.publish(server.port, secret)
        server.published = True
    server.start()
    if share:
        _servers[host, server.port] = server
    return server


_SIGNATURE = (
    "torch._C._distributed_c10d.TCPStore(host_name: str, port: typing.SupportsInt | typing.SupportsIndex, world_size: "
    "typing.SupportsInt | typing.SupportsIndex | None = None, is_master: bool = False, timeout: datetime.timedelta = "
    "datetime.timedelta(seconds=300), wait_for_workers: bool = True, multi_tenant: bool = False, master_listen_fd: "
    "typing.SupportsInt | typing.SupportsIndex | None = None, use_libuv: bool = True)"
)
_DEFAULT_TIMEOUT = datetime.timedelta(seconds=300)


class TCPStore(Store):
    """A store that one process serves over TCP.

    Args:
        host_name: where it is served; only there, so that ``localhost`` is for this machine alone.
        port: the port; the server takes a free one for 0.
        world_size: how many members to wait for.
        is_master: whether this process serves.
        timeout: how long to wait for members, and for keys in ``get`` and ``wait``.
        wait_for_workers: whether the server waits for all members.
        multi_tenant: whether stores of this process at one address share a server.
    """

    def __init__(
        self, host_name=None, port=None, world_size=None, is_master=False, timeout=_DEFAULT_TIMEOUT, wait_for_workers=True,
        multi_tenant=False, master_listen_fd=None, use_libuv=True,
    ):
        if (
            not isinstance(host_name, str) or not isinstance(port, int) or not 0 <= port < 65536
            or not isinstance(timeout, datetime.timedelta) or not (world_size is None or isinstance(world_size, int))
        ):
            given = [host_name, port, world_size, is_master, timeout]
            while given and given[-1] in (None, False, _DEFAULT_TIMEOUT):
                given.pop()
            refuse_arguments("__init__", [_SIGNATURE], given, constructor=True)
        super().__init__()
        self.host, self._timeout, self._lock = host_name, timeout, threading.RLock()
        self.libuvBackend = use_libuv  # noqa: N815  the reference's name
        self._server = _serve(host_name, port, multi_tenant, master_listen_fd) if is_master else None
        self.port = self._server.port if is_master else port
        if is_master:
            # Processes that were started by another do not run what is registered with `atexit`.
            Finalize(self, _stop, (self._server, os.getpid()), exitpriority=1)
        self._socket = None
        self._connect()
        if world_size and world_size > 0 and wait_for_workers:
            self._meet(world_size, is_master)

    def _meet(self, count, is_master):
        self._ask(_ADD, [MEMBERS.encode(), b"1"])
        if not is_master:
            return
        seconds = seconds_of(self._timeout)
        deadline = time.monotonic() + seconds
        while True:
            here = int(self._ask(_ADD, [MEMBERS.encode(), b"0"])[0])
            if here >= count:
                return
            if time.monotonic() >= deadline:
                raise DistStoreError(
                    f"Timed out after {max(1, round(seconds))} seconds waiting for clients. {here}/{count} clients joined."
                )
            time.sleep(0.01)

    def _connect(self):
        seconds = seconds_of(self._timeout)
        deadline = time.monotonic() + seconds
        pause, why = 0.005, None
        while True:
            try:
                self._socket = self._try(deadline)
                self._owner = os.getpid()
                return
            except OSError as error:
                why = error
            if time.monotonic() + pause >= deadline:
                quiet = not isinstance(why, ConnectionError) or isinstance(why, (ConnectionRefusedError, _Unpublished))
                reason = "" if quiet else f"\n{why}"
                raise DistNetworkError(
                    f"The client socket has timed out after {round(seconds * 1000)}ms while trying to connect to "
                    f"({self.host}, {self.port}).{reason}"
                ) from None
            time.sleep(pause)
            pause = min(pause * 1.5, 0.25)

    def _try(self, deadline):
        if self._server is not None:
            secret = self._server.door.secret
        else:
            secret, _ = _secret_of(self.host, self.port, create=False)
        error = None
        for family, address in resolve(self.host, self.port):
            sock = socket.socket(family, socket.SOCK_STREAM)
            try:
                sock.settimeout(max(left(deadline), 0.001))
                sock.connect(address)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                introduce(sock, secret, _KIND, 0, 0, deadline)
                return sock
            except OSError as problem:
                sock.close()
                error = problem
        raise error

    def _ask(self, what, parts, timeout=None):
        seconds = seconds_of(self._timeout if timeout is None else timeout)
        body = _packed(parts)
        if len(body) > _LARGEST:
            raise ValueError(f"a store takes up to {_LARGEST} bytes at a time, got {len(body)}")
        with self._lock:
            if self._socket is not None and self._owner != os.getpid():
                # The process was forked: the connection is the other one's.
                self._socket.close()
                self._connect()
            if self._socket is None:
                raise DistNetworkError("Broken pipe")
            try:
                deadline = time.monotonic() + seconds + _GRACE
                self._socket.settimeout(seconds + _GRACE)
                self._socket.sendall(_HEAD.pack(what, round(seconds * 1000), len(body)) + body)
                state, _, length = _HEAD.unpack(read_exactly(self._socket, _HEAD.size, deadline))
                if length > _LARGEST * 2:
                    raise ConnectionError(f"an answer of {length} bytes")
                answer = _unpacked(read_exactly(self._socket, length, deadline))
            except OSError as error:
                # What comes later would be taken for the answer to something else.
                self._socket.close()
                self._socket = None
                raise DistNetworkError(str(error)) from None
            except BaseException:
                self._socket.close()
                self._socket = None
                raise
        if state == _TIMED_OUT:
            keys = ", ".join("/" + part.decode() for part in parts)
            raise DistStoreError(f"wait timeout after {round(seconds * 1000)}ms, keys: {keys}")
        if state == _EMPTY:
            raise QueueEmptyError("queue is empty")
        if state != _DONE or answer is None:
            raise DistNetworkError(answer[0].decode() if answer else "the store has sent nonsense")
        return answer

    def _local_address(self):
        """The address of this machine under which it sees the server."""
        return self._socket.getsockname()[0]

    def __repr__(self):
        server = f"TCPServer(port={self.port})" if self._server is not None else "<nullptr>"
        if self._socket is None:
            return f"TCPStore(client=TCPClient(closed), server={server})"
        own, other = self._socket.getsockname(), self._socket.getpeername()
        client = f"SocketImpl(fd={self._socket.fileno()}, addr=[{own[0]}]:{own[1]}, remote=[{other[0]}]:{other[1]})"
        return f"TCPStore(client=TCPClient({client}), server={server})"

    def has_extended_api(self):
        """Whether there are ``append``, ``multi_get`` and ``multi_set``: yes."""
        return True

    @_checked
    def set(self, key, value):
        """Sets a key."""
        self._ask(_SET, [key.encode(), encoded(value)])

    @_checked
    def get(self, key):
        """The value of a key, as bytes; waits until it is there."""
        return self._ask(_GET, [key.encode()])[0]

    @_checked
    def add(self, key, amount):
        """Adds to a number, and returns the sum."""
        return int(self._ask(_ADD, [key.encode(), str(int(amount)).encode()])[0])

    def wait(self, keys, timeout=None):
        """Waits until all the keys are there."""
        self._ask(_WAIT, [key.encode() for key in keys], timeout)

    @_checked
    def check(self, keys):
        """Whether all the keys are there."""
        return self._ask(_CHECK, [key.encode() for key in keys])[0] == b"1"

    @_checked
    def delete_key(self, key):
        """Forgets a key: whether it was there."""
        return self._ask(_DELETE, [key.encode()])[0] == b"1"

    def num_keys(self):
        """How many keys there are; the count of members is one of them."""
        return int(self._ask(_COUNT, [])[0])

    @_checked
    def compare_set(self, key, expected, desired):
        """Sets a key if it has the expected value; returns the value that it has then."""
        return self._ask(_COMPARE_SET, [key.encode(), encoded(expected), encoded(desired)])[0]

    @_checked
    def append(self, key, value):
        """Adds to the end of a value."""
        self._ask(_APPEND, [key.encode(), encoded(value)])

    @_checked
    def multi_get(self, keys):
        """The values of several keys; waits until all are there."""
        return self._ask(_GET, [key.encode() for key in keys])

    @_checked
    def multi_set(self, keys, values):
        """Sets several keys."""
        self._ask(_SET, [part for key, value in zip(keys, values) for part in (key.encode(), encoded(value))])

    @_checked
    def queue_push(self, key, value):
        """Adds to the end of a queue."""
        self._ask(_PUSH, [key.encode(), encoded(value)])

    def queue_pop(self, key, block=True):
        """Takes the first of a queue; waits for one unless told not to."""
        return self._ask(_POP if block else _POP_NOW, [key.encode()])[0]

    @_checked
    def queue_len(self, key):
        """How many a queue holds."""
        return int(self._ask(_LENGTH, [key.encode()])[0])

    def list_keys(self):
        """The names of all keys."""
        return [part.decode() for part in self._ask(_KEYS, [])]

    def barrier(self, key, world_size, timeout=None):
        """Waits until so many have come here under a key."""
        try:
            super().barrier(key, world_size, timeout)
        except DistStoreError:
            seconds = seconds_of(self._timeout if timeout is None else timeout)
            raise DistStoreError(f"barrier timeout after {round(seconds * 1000)}ms, key: {key}") from None

    def clone(self):
        """Another connection to the same keys and values."""
        return TCPStore(self.host, self.port, None, False, self._timeout)


def _forget_servers():
    """A forked process does not serve: what it has inherited of the sockets is closed."""
    for server in list(_live):
        for sock in (server.door.listener, server.wake, server.alarm, *(c.sock for c in server.clients)):
            sock.close()
        server.published = False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_servers)
TCPStore.__module__ = "torch._C._distributed_c10d"
