"""Connections between all members of a job, and the messages on them.

A message goes on a channel (a group and what it is for) under a number: a collective's turn, or a tag. Messages of one
sender with the same channel and number stay in order; others do not wait for each other. One thread reads and writes for
all; who sends or waits for a message is told when it is through, when the other end is gone, or when time is up.

A frame is a channel, a number, a length of at most 16 MiB and so many bytes. Longer messages are several frames.
"""

import collections
import os
import selectors
import socket
import struct
import threading
import time
import weakref

from ._errors import DistNetworkError
from ._sockets import Door, introduce, left, listen

_HEAD = struct.Struct("!QqI")
# The longest frame. All members cut long messages here.
PIECE = 1 << 24
_KIND = b"mesh"
# A member that has been sent so much that it did not ask for is read no further until it asks.
_HELD = 1 << 31
_CRASHED = (
    "Connection closed by peer {}. This is typically caused by a remote worker crashing. Check the logs of the remote worker "
    "before reporting an error."
)
_DESTROYED = "the process group has been destroyed"
_FAILED = "Application timeout caused pair closure"


class Slot:
    """A place for a message that somebody waits for."""

    __slots__ = ("data", "error", "source", "order")

    def __init__(self, order):
        self.data = self.error = self.source = None
        self.order = order

    def done(self):
        """Whether the message, or an error in its place, is there."""
        return self.data is not None or self.error is not None


class Ticket:
    """A message on its way out; done when the system has all of it."""

    __slots__ = ("parts", "sent", "error", "keep")

    def __init__(self, parts, keep):
        self.parts, self.keep = collections.deque(parts), keep
        self.sent, self.error = False, None


class _Peer:
    """The connection to another member."""

    def __init__(self, rank, sock):
        self.rank, self.sock = rank, sock
        self.address = "[{}]:{}".format(*sock.getpeername()[:2])
        self.outbox = collections.deque()
        self.head, self.head_got = bytearray(_HEAD.size), 0
        self.body, self.body_got = None, 0
        self.held = 0
        self.events = selectors.EVENT_READ
        # Why the connection has ended.
        self.gone = None


class Mesh(threading.Thread):
    """All connections of a member.

    Args:
        store: where members leave their addresses; a part of its own.
        rank, size: which member this is, of how many.
        host: the address at which to listen.
        secret: what members know.
        deadline: when the meeting has failed.
    """

    def __init__(self, store, rank, size, host, secret, deadline):
        super().__init__(name="rushlight-mesh", daemon=True)
        self.rank, self.size, self.owner = rank, size, os.getpid()
        self.changed = threading.Condition()
        self.selector = selectors.DefaultSelector()
        self.wake, self.alarm = socket.socketpair()
        self.wake.setblocking(False)
        self.alarm.setblocking(False)
        self.selector.register(self.wake, selectors.EVENT_READ, None)
        listener = listen(host, 0)
        self.door = Door(listener, secret, self.selector)
        self.peers, self.new = {}, []
        # By (source, channel, number): what has come and nobody has asked for; who asked and got nothing yet.
        self.letters, self.asked = {}, {}
        self.count = 0
        self.closed, self.why = False, _DESTROYED
        _live.add(self)
        self.start()
        try:
            address = listener.getsockname()
            store.set(f"address/{rank}", f"{address[0]} {address[1]}")
            for other in range(rank):
                self._join_member(store, other, secret, deadline)
            self._await_members(deadline)
        except BaseException:
            self.close()
            raise

    def _join_member(self, store, other, secret, deadline):
        host, port = store.get(f"address/{other}").decode().rsplit(" ", 1)
        try:
            sock = socket.create_connection((host, int(port)), max(left(deadline), 0.001))
            introduce(sock, secret, _KIND, self.size, self.rank, deadline)
        except (OSError, ValueError) as error:
            raise DistNetworkError(f"rank {self.rank} cannot connect to rank {other} at [{host}]:{port}: {error}") from None
        self._add(other, sock)

    def _await_members(self, deadline):
        with self.changed:
            while len(self.peers) < self.size - 1:
                if not self.changed.wait(left(deadline)) and not left(deadline):
                    missing = [r for r in range(self.size) if r != self.rank and r not in self.peers]
                    raise DistNetworkError(f"timed out while waiting for ranks {missing} to connect to rank {self.rank}")

    def _add(self, rank, sock):
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self.changed:
            if self.closed or rank in self.peers or rank == self.rank or not 0 <= rank < self.size:
                sock.close()
                return
            peer = self.peers[rank] = _Peer(rank, sock)
            self.new.append(peer)
            self.changed.notify_all()
        self._ring()

    def _ring(self):
        try:
            self.alarm.send(b"x")
        except OSError:
            pass

    # The thread that reads and writes.

    def run(self):
        try:
            while not self.closed:
                self._step()
        finally:
            self._end()

    def _step(self):
        for key, mask in self.selector.select(self.door.sweep()):
            if key.data is None:
                try:
                    self.wake.recv(4096)
                except OSError:
                    pass
            elif isinstance(key.data, _Peer):
                peer = key.data
                if mask & selectors.EVENT_READ and peer.gone is None:
                    self._read(peer)
                if mask & selectors.EVENT_WRITE and peer.gone is None:
                    with self.changed:
                        self._write(peer)
            else:
                came = self.door.event(key)
                if came is not None:
                    sock, (kind, size, rank) = came
                    if kind == _KIND and size == self.size:
                        self._add(rank, sock)
                    else:
                        sock.close()
        with self.changed:
            for peer in self.new:
                self.selector.register(peer.sock, peer.events, peer)
            self.new.clear()
            for peer in self.peers.values():
                self._set_events(peer)

    def _set_events(self, peer):
        if peer.gone is not None or peer in self.new:
            return
        events = selectors.EVENT_WRITE if peer.outbox else 0
        if peer.held < _HELD:
            events |= selectors.EVENT_READ
        if events != peer.events:
            if peer.events and events:
                self.selector.modify(peer.sock, events, peer)
            elif events:
                self.selector.register(peer.sock, events, peer)
            else:
                self.selector.unregister(peer.sock)
            peer.events = events

    def _lose(self, peer, why):
        """The connection has ended: nobody waits for it any longer."""
        with self.changed:
            peer.gone = DistNetworkError(why)
            if peer not in self.new and peer.events:
                self.selector.unregister(peer.sock)
            peer.events = 0
            peer.sock.close()
            for ticket in peer.outbox:
                ticket.error = peer.gone
            peer.outbox.clear()
            self._tell_those_who_wait()
            self.changed.notify_all()

    def _tell_those_who_wait(self):
        everybody = all(peer.gone is not None for peer in self.peers.values())
        for key in list(self.asked):
            # Who asked anybody waits as long as there is somebody.
            gone = self.peers[key[0]].gone if key[0] is not None else everybody and next(iter(self.peers.values())).gone
            if gone:
                for slot in self.asked.pop(key):
                    slot.error = gone

    def _read(self, peer):
        # So often at most, so that one does not keep the others waiting.
        for _ in range(64):
            try:
                if peer.body is None:
                    got = peer.sock.recv_into(memoryview(peer.head)[peer.head_got :])
                else:
                    got = peer.sock.recv_into(memoryview(peer.body)[peer.body_got :])
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                got = 0
            if not got:
                self._lose(peer, _CRASHED.format(peer.address))
                return
            if peer.body is None:
                peer.head_got += got
                if peer.head_got < _HEAD.size:
                    continue
                channel, number, length = _HEAD.unpack(peer.head)
                if length > PIECE:
                    self._lose(peer, f"{peer.address} has sent a frame of {length} bytes, of {PIECE} at most")
                    return
                peer.head_got = 0
                peer.body, peer.body_got, peer.place = bytearray(length), 0, (channel, number)
            else:
                peer.body_got += got
            if peer.body_got == len(peer.body):
                body, peer.body = peer.body, None
                self._deliver(peer, *peer.place, body)

    def _deliver(self, peer, channel, number, body):
        with self.changed:
            waiting = [key for source in (peer.rank, None) if (key := (source, channel, number)) in self.asked]
            if waiting:
                first = min(waiting, key=lambda key: self.asked[key][0].order)
                slot = self.asked[first].popleft()
                if not self.asked[first]:
                    del self.asked[first]
                slot.source, slot.data = peer.rank, body
                self.changed.notify_all()
            else:
                self.letters.setdefault((peer.rank, channel, number), collections.deque()).append(body)
                peer.held += len(body) + 64

    def _write(self, peer):
        """Writes what the system takes; the caller holds the lock."""
        finished = False
        try:
            while peer.outbox:
                ticket = peer.outbox[0]
                while ticket.parts:
                    sent = peer.sock.send(ticket.parts[0])
                    if sent < len(ticket.parts[0]):
                        ticket.parts[0] = ticket.parts[0][sent:]
                    else:
                        ticket.parts.popleft()
                ticket.sent, ticket.keep = True, None
                finished = True
                peer.outbox.popleft()
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            # The reading side sees the end too, and tells all others.
            for ticket in peer.outbox:
                ticket.error = DistNetworkError(_CRASHED.format(peer.address))
            peer.outbox.clear()
            finished = True
        if finished:
            self.changed.notify_all()

    def _end(self):
        with self.changed:
            self.closed = True
            why = DistNetworkError(self.why)
            for slots in self.asked.values():
                for slot in slots:
                    slot.error = why
            self.asked.clear()
            self.letters.clear()
            for peer in self.peers.values():
                for ticket in peer.outbox:
                    ticket.error = why
                peer.gone = peer.gone or why
                peer.sock.close()
            self.changed.notify_all()
        self.door.close()
        self.selector.close()
        self.wake.close()
        self.alarm.close()

    # What others call.

    def post(self, source, channel, number):
        """Asks for the next message of a member (of any, for None); a slot that is filled in the order of asking."""
        with self.changed:
            self.count += 1
            slot = Slot(self.count)
            if self.closed:
                slot.error = DistNetworkError(self.why)
                return slot
            candidates = (source,) if source is not None else sorted(self.peers)
            key = (source, channel, number)
            if key not in self.asked:
                for rank in candidates:
                    letters = self.letters.get((rank, channel, number))
                    if letters:
                        slot.source, slot.data = rank, letters.popleft()
                        peer = self.peers[rank]
                        full = peer.held >= _HELD
                        peer.held -= len(slot.data) + 64
                        if not letters:
                            del self.letters[rank, channel, number]
                        if full:
                            self._ring()
                        return slot
            gone = [self.peers[rank].gone for rank in candidates]
            if gone and all(gone):
                slot.error = gone[0]
            else:
                self.asked.setdefault(key, collections.deque()).append(slot)
            return slot

    def withdraw(self, source, channel, number, slot):
        """Asks no longer."""
        with self.changed:
            slots = self.asked.get((source, channel, number))
            if slots and slot in slots:
                slots.remove(slot)
                if not slots:
                    del self.asked[source, channel, number]

    def await_slots(self, slots, deadline, what="recv", limit=None):
        """Waits until slots or tickets are done; raises what has gone wrong, :class:`TimeoutError` when time is up, with `limit`."""
        begun = time.monotonic()
        with self.changed:
            for item in slots:
                while not (item.sent if isinstance(item, Ticket) else item.data is not None):
                    if item.error is not None:
                        raise RuntimeError(str(item.error)) from None
                    if not self.changed.wait(left(deadline)) and not left(deadline):
                        spent = round((max(deadline - begun, 0) if limit is None else limit) * 1000)
                        raise TimeoutError(f"Timed out waiting {spent}ms for {what} operation to complete")

    def send(self, target, channel, number, data, keep=None):
        """Sends a message: views of bytes, each a frame. They must not change until the ticket is done."""
        parts = []
        for piece in data:
            head = _HEAD.pack(channel, number, len(piece))
            # Small ones go with their head.
            if len(piece) <= 4096:
                parts.append(memoryview(head + bytes(piece)))
            else:
                parts += [memoryview(head), piece]
        ticket = Ticket(parts, keep)
        with self.changed:
            peer = self.peers.get(target)
            if self.closed or peer is None:
                ticket.error = DistNetworkError(self.why)
            elif peer.gone is not None:
                ticket.error = peer.gone
            else:
                peer.outbox.append(ticket)
                if len(peer.outbox) == 1:
                    self._write(peer)
                if peer.outbox:
                    self._ring()
        return ticket

    def fail(self):
        """Ends all connections because a collective has failed: nobody is to wait for this member in vain."""
        with self.changed:
            if not self.closed:
                self.why = _FAILED
        self.close()

    def close(self):
        """Ends all connections."""
        if self.owner != os.getpid():
            return
        self.closed = True
        self._ring()
        if threading.current_thread() is not self:
            self.join(5.0)


_live = weakref.WeakSet()


def _forget():
    """A forked process is no member: its copies of the sockets would keep connections open that have ended."""
    for mesh in list(_live):
        mesh.closed = True
        sockets = [mesh.door.listener, mesh.wake, mesh.alarm, *(peer.sock for peer in mesh.peers.values())]
        for sock in sockets:
            sock.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
