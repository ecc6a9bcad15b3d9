"""Collectives of Python objects, which travel as pickles.

A pickle can have its reader do anything. It carries a proof that its sender knows the secret of the job, and is read only
after that has been checked; what a stranger has put on the way is not.
"""

import hmac
import io
import pickle
import struct

from . import _secret
from ._collectives import root_of
from ._mesh import PIECE
from ._reduce_op import ReduceOp  # noqa: F401
from ._world import _group_or_default, _rank_not_in_group, _warn_not_in_group, get_global_rank, get_rank

__all__ = [
    "all_gather_object", "broadcast_object_list", "gather_object", "recv_object_list", "scatter_object_list",
    "send_object_list",
]

_LENGTH = struct.Struct("!Q")
# The longest pickle that is taken.
_LARGEST = 1 << 31
_TAG = 32


def _pickled(obj, weights_only=False):
    if not weights_only:
        return pickle.dumps(obj, protocol=pickle.HIGHEST_PROTOCOL)
    from .. import save

    file = io.BytesIO()
    save(obj, file)
    return file.getvalue()


def _unpickled(data, weights_only=False):
    if not weights_only:
        return pickle.loads(data)
    from .. import load

    return load(io.BytesIO(data), weights_only=True)


class _Objects:
    """Pickles on the channel of a group, in one turn."""

    def __init__(self, group, turn):
        self.group, self.turn, self.mesh = group, turn, group._mesh
        self.place = struct.pack("!QQ", turn.channel, turn.number)

    def send(self, member, data):
        """Sends bytes with the proof of this process."""
        own = struct.pack("!Q", self.group._rank)
        data = bytes(data)
        if len(data) > _LARGEST:
            raise ValueError(f"an object of {len(data)} bytes cannot be sent, of {_LARGEST} at most")
        head = _LENGTH.pack(len(data)) + _secret.tag(self.mesh.door.secret, self.place, own, data)
        view = memoryview(data)
        pieces = [memoryview(head)] + [view[at : at + PIECE] for at in range(0, len(data), PIECE)]
        turn = self.turn
        turn.tickets.append(self.mesh.send(self.group._ranks[member], turn.channel, turn.number, pieces, keep=data))

    def _frame(self, member):
        slot = self.mesh.post(self.group._ranks[member], self.turn.channel, self.turn.number)
        self.turn._await([slot], "recv")
        return slot.data

    def receive(self, member):
        """The bytes of a member, whose proof holds."""
        head = self._frame(member)
        if len(head) != _LENGTH.size + _TAG:
            self.turn.lost = True
            raise RuntimeError(
                f"rank {self.mesh.rank} expected an object of rank {self.group._ranks[member]}: all ranks must call the same "
                "collectives in the same order"
            )
        (length,) = _LENGTH.unpack_from(head)
        if length > _LARGEST:
            raise RuntimeError(f"rank {self.group._ranks[member]} announces an object of {length} bytes, of {_LARGEST} at most")
        data = bytearray()
        while len(data) < length:
            data += self._frame(member)
        proof = _secret.tag(self.mesh.door.secret, self.place, struct.pack("!Q", member), bytes(data))
        if not hmac.compare_digest(proof, bytes(head[_LENGTH.size :])):
            raise RuntimeError(f"an object of rank {self.group._ranks[member]} does not carry the secret of the job")
        return bytes(data)


def _exchange(chosen, function):
    """Runs `function` with the pickles of a turn of a group."""
    return chosen._bytes(lambda turn: function(_Objects(chosen, turn)))


def _others(chosen):
    return [r for r in range(chosen.size()) if r != chosen.rank()]


def all_gather_object(object_list, obj, group=None, weights_only=False):
    """Gives the object of each member to all: `object_list` gets them."""
    if _rank_not_in_group(group):
        _warn_not_in_group("all_gather_object")
        return
    chosen = _group_or_default(group)
    own = _pickled(obj, weights_only)

    def run(objects):
        for member in _others(chosen):
            objects.send(member, own)
        return [own if r == chosen.rank() else objects.receive(r) for r in range(chosen.size())]

    for i, data in enumerate(_exchange(chosen, run)):
        object_list[i] = _unpickled(data, weights_only)


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None, weights_only=False):
    """Gives the object of each member to member `dst` (0 unless given), whose list gets them."""
    if _rank_not_in_group(group):
        _warn_not_in_group("gather_object")
        return
    chosen = _group_or_default(group)
    root = 0 if dst is None and group_dst is None else root_of(chosen, dst, group_dst)
    if chosen.rank() == root:
        if not object_gather_list:
            raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    elif object_gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    chosen._check_root("gather", root)
    own = _pickled(obj, weights_only)

    def run(objects):
        if chosen.rank() != root:
            objects.send(root, own)
            return ()
        return [own if r == root else objects.receive(r) for r in range(chosen.size())]

    for i, data in enumerate(_exchange(chosen, run)):
        object_gather_list[i] = _unpickled(data, weights_only)


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None, weights_only=False):
    """Gives the objects of member `src` to all: the lists of all others get them."""
    if _rank_not_in_group(group):
        _warn_not_in_group("broadcast_object_list")
        return
    chosen = _group_or_default(group)
    root = 0 if src is None and group_src is None else root_of(chosen, src, group_src)
    count = len(iter(object_list) and object_list)
    if not count:
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    chosen._check_root("broadcast", root)

    def run(objects):
        if chosen.rank() == root:
            for data in [_pickled(obj, weights_only) for obj in object_list]:
                for member in _others(chosen):
                    objects.send(member, data)
            return ()
        return [objects.receive(root) for _ in range(count)]

    for i, data in enumerate(_exchange(chosen, run)):
        object_list[i] = _unpickled(data, weights_only)


def scatter_object_list(
    scatter_object_output_list, scatter_object_input_list=None, src=None, group=None, group_src=None, weights_only=False,
):
    """Gives each member an object of the list of member `src` (0 unless given): the first of its output list."""
    if _rank_not_in_group(group):
        _warn_not_in_group("scatter_object_list")
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    chosen = _group_or_default(group)
    root = 0 if src is None and group_src is None else root_of(chosen, src, group_src)
    chosen._check_root("broadcast", root)
    own = chosen.rank()
    if own == root:
        if scatter_object_input_list is None:
            raise ValueError("source rank must provide non-None scatter_object_input_list")
        if len(scatter_object_input_list) != chosen.size():
            raise RuntimeError(
                f"ProcessGroupGloo::scatter: Incorrect input list size {len(scatter_object_input_list)}. Input list size should "
                f"be {chosen.size()}, same as size of the process group."
            )

    def run(objects):
        if own != root:
            return objects.receive(root)
        parts = [_pickled(obj, weights_only) for obj in scatter_object_input_list]
        for member in _others(chosen):
            objects.send(member, parts[member])
        return parts[own]

    scatter_object_output_list[0] = _unpickled(_exchange(chosen, run), weights_only)


def _message(data):
    from .. import frombuffer, uint8

    return frombuffer(bytearray(data), dtype=uint8)


def _proof(chosen, sender, data):
    return _secret.tag(chosen._mesh.door.secret, b"objects", struct.pack("!QQ", chosen._channel, sender), data)


def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False, weights_only=False):
    """Sends objects to a member, which calls :func:`recv_object_list` for as many."""
    if _rank_not_in_group(group):
        _warn_not_in_group("send_object_list")
        return
    chosen = _group_or_default(group)
    target = root_of(chosen, dst, group_dst)
    if target == get_rank(chosen):
        raise ValueError("Invalid destination rank: destination rank should not be the same as the rank of the current process.")
    for obj in object_list:
        data = _pickled(obj, weights_only)
        head = _LENGTH.pack(len(data)) + _proof(chosen, chosen.rank(), data)
        for part in (head, data):
            chosen.send(_message(part), target).wait()


def recv_object_list(
    object_list, src=None, group=None, device=None, group_src=None, use_batch=False, weights_only=False,
):
    """Receives objects of a member (of any, unless given) into a list; the number of the sender in the group of all."""
    from .. import empty, uint8

    if _rank_not_in_group(group):
        _warn_not_in_group("recv_object_list")
        return -1
    chosen = _group_or_default(group)
    source = root_of(chosen, src, group_src, optional=True)
    for i in range(len(object_list)):
        head = empty(_LENGTH.size + _TAG, dtype=uint8)
        work = chosen.recv(head, source)
        work.wait()
        source = work.source_rank()
        known = bytes(head.tolist())
        (length,) = _LENGTH.unpack_from(known)
        if length > _LARGEST:
            raise RuntimeError(f"rank {source} announces an object of {length} bytes, of {_LARGEST} at most")
        body = empty(length, dtype=uint8)
        chosen.recv(body, source).wait()
        data = bytes(body.tolist()) if length < 64 else _bytes_of(body)
        if not hmac.compare_digest(_proof(chosen, source, data), known[_LENGTH.size :]):
            raise RuntimeError(f"an object of rank {source} does not carry the secret of the job")
        object_list[i] = _unpickled(data, weights_only)
    return get_global_rank(chosen, source)


def _bytes_of(tensor):
    from ._process_group import _pieces

    return b"".join(bytes(piece) for piece in _pieces(tensor))


for _name in __all__:
    globals()[_name].__module__ = "torch.distributed.distributed_c10d"
