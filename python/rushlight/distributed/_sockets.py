"""Sockets of stores and groups: where to listen, and how the two ends of a connection show that they know the secret."""

import errno
import ipaddress
import socket
import time

from . import _secret
from ._errors import DistNetworkError

# How long a stranger may take to show the secret, and how many may try at once.
STRANGER_SECONDS = 5.0
STRANGERS = 64


def is_loopback(address):
    """Whether an address is of the loopback device."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return (getattr(found, "ipv4_mapped", None) or found).is_loopback


def resolve(host, port):
    """The addresses that a name stands for, as ``(family, address)``; those of IPv4 first."""
    found = socket.getaddrinfo(host or "127.0.0.1", port, type=socket.SOCK_STREAM)
    found.sort(key=lambda entry: entry[0] != socket.AF_INET)
    return [(family, address) for family, _, _, _, address in found]


def listen(host, port):
    """A socket that listens at an address, and nowhere else."""
    try:
        family, address = resolve(host, port)[0]
    except OSError as error:
        raise DistNetworkError(f"The address of ({host}, {port}) cannot be retrieved ({error}).") from None
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(512)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        name = errno.errorcode.get(error.errno, str(error.errno))
        raise DistNetworkError(
            f"The server socket has failed to listen on any local network address. port: {port}, useIpv6: "
            f"{'true' if family == socket.AF_INET6 else 'false'}, code: -{error.errno}, name: {name}, message: "
            f"{(error.strerror or str(error)).lower()}"
        ) from None
    return listener


def left(deadline):
    """The seconds that are left until a deadline; at least none."""
    return max(0.0, deadline - time.monotonic())


def read_exactly(sock, count, deadline):
    """So many bytes of a blocking socket."""
    data = bytearray(count)
    view, done = memoryview(data), 0
    while done < count:
        seconds = left(deadline)
        if not seconds:
            raise TimeoutError("timed out")
        sock.settimeout(seconds)
        got = sock.recv_into(view[done:])
        if not got:
            raise ConnectionError(
                f"Failed to recv, got {done} bytes. Connection was likely closed. Did the remote server shutdown or crash?"
            )
        done += got
    return bytes(data)


def introduce(sock, secret, kind, group, rank, deadline):
    """The client's part: shows that it knows the secret, and sees that the server does."""
    # A process that has just started may not serve yet; a server that is not ours says nothing at all.
    given, expected = _secret.answer(secret, read_exactly(sock, _secret.HELLO, deadline), kind, group, rank)
    sock.settimeout(max(left(deadline), 0.001))
    sock.sendall(given)
    proof = read_exactly(sock, len(expected), deadline)
    if not _secret.hmac.compare_digest(proof, expected):
        raise ConnectionError("the other end does not know the secret of the job")


class Stranger:
    """A connection whose other end has not shown the secret yet; served without waiting."""

    def __init__(self, sock):
        self.sock, self.got = sock, bytearray()
        self.until = time.monotonic() + STRANGER_SECONDS
        sock.setblocking(False)
        greeting, self.nonce = _secret.hello()
        sock.send(greeting)

    def step(self, secret):
        """Reads what is there: None to go on waiting, False for one to be sent away, else its claim."""
        try:
            data = self.sock.recv(_secret.ANSWER - len(self.got))
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            return False
        if not data:
            return False
        self.got += data
        if len(self.got) < _secret.ANSWER:
            return None
        known = _secret.admit(secret, self.nonce, bytes(self.got))
        if known is None:
            return False
        claim, proof = known
        try:
            self.sock.send(proof)
        except OSError:
            return False
        return claim


class Door:
    """A listening socket and the strangers at it, as part of a loop with a selector."""

    def __init__(self, listener, secret, selector):
        self.listener, self.secret, self.selector = listener, secret, selector
        self.strangers = set()
        selector.register(listener, 1, self)

    def event(self, key):
        """Handles an event of the listener (no data) or of a stranger: ``(socket, claim)`` for one who comes in."""
        if key.data is self:
            self._accept()
            return None
        stranger = key.data
        claim = stranger.step(self.secret)
        if claim is None:
            return None
        self._forget(stranger)
        if claim is False:
            stranger.sock.close()
            return None
        return stranger.sock, claim

    def _accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            if len(self.strangers) >= STRANGERS:
                sock.close()
                continue
            try:
                stranger = Stranger(sock)
            except OSError:
                sock.close()
                continue
            self.strangers.add(stranger)
            self.selector.register(sock, 1, stranger)

    def _forget(self, stranger):
        self.strangers.discard(stranger)
        self.selector.unregister(stranger.sock)

    def sweep(self):
        """Sends away who has taken too long; the seconds until the next is due, or None."""
        now = time.monotonic()
        for stranger in [s for s in self.strangers if s.until <= now]:
            self._forget(stranger)
            stranger.sock.close()
        return min((s.until - now for s in self.strangers), default=None)

    def close(self):
        """Listens no longer."""
        for stranger in list(self.strangers):
            self._forget(stranger)
            stranger.sock.close()
        try:
            self.selector.unregister(self.listener)
        except (KeyError, ValueError):
            pass
        self.listener.close()
