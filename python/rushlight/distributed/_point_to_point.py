"""Messages between two members."""

from ._collectives import _check_tensor, root_of
from ._world import _group_or_default, _rank_not_in_group, _warn_not_in_group, get_global_rank, get_rank

__all__ = ["P2POp", "batch_isend_irecv", "irecv", "isend", "recv", "send"]


def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Begins to send a tensor to member `dst`; a handle. The tensor must not change until it is done.

    Raises:
        ValueError: for this very process.
    """
    if _rank_not_in_group(group):
        _warn_not_in_group("isend")
        return None
    chosen = _group_or_default(group)
    target = root_of(chosen, dst, group_dst)
    _check_tensor(tensor, "tensor")
    if target == get_rank(chosen):
        raise ValueError("Invalid destination rank: destination rank should not be the same as the rank of the current process.")
    return chosen.send([tensor], target, tag)


def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    """Begins to receive a tensor of member `src`, of any unless given; a handle."""
    _check_tensor(tensor, "tensor")
    if _rank_not_in_group(group):
        _warn_not_in_group("irecv")
        return None
    chosen = _group_or_default(group)
    source = root_of(chosen, src, group_src, optional=True)
    return chosen.recv([tensor], source, tag)


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Sends a tensor to member `dst`, and returns when it is on its way."""
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    """Receives a tensor of member `src`, of any unless given; the number of the sender in the group of all."""
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    if src is None and group_src is None:
        return get_global_rank(_group_or_default(group), work.source_rank())
    return src if src is not None else get_global_rank(_group_or_default(group), group_src)


class P2POp:
    """One of several messages for :func:`batch_isend_irecv`.

    Args:
        op: ``isend`` or ``irecv``.
        tensor: what is sent, or received.
        peer: the other member, in the group of all; ``group_peer`` in the group.
    """

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise ValueError(
                "Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or ``torch.distributed.irecv``."
            )
        _check_tensor(tensor, "tensor")
        self.op, self.tensor, self.tag = op, tensor, tag
        outside = _rank_not_in_group(group)
        self.group = group if outside else _group_or_default(group)
        if outside:
            self.peer, self.group_peer = peer, group_peer
        else:
            self.group_peer = root_of(self.group, peer, group_peer)
            self.peer = get_global_rank(self.group, self.group_peer) if peer is None else peer

    def __repr__(self):
        own = get_rank(self.group)
        name = getattr(self.group, "group_name", self.group)
        ends = (own, self.group_peer) if self.op is isend else (self.group_peer, own)
        return (
            f"P2POp({self.op.__name__} pg={name}, group_src={ends[0]}, group_dst={ends[1]},  {self.tensor.shape}, "
            f"{self.tensor.dtype})"
        )


def batch_isend_irecv(p2p_op_list):
    """Begins several messages; a handle of each.

    Raises:
        ValueError: for what is no :class:`P2POp`, and messages of several groups.
    """
    if not isinstance(p2p_op_list, list) or not all(isinstance(op, P2POp) for op in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    first = p2p_op_list[0].group
    if any(op.group is not first for op in p2p_op_list):
        raise ValueError("All ops need to use the same group.")
    works = []
    for op in p2p_op_list:
        if _rank_not_in_group(op.group):
            _warn_not_in_group(op.op.__name__)
            continue
        peer = {"group_dst" if op.op is isend else "group_src": op.group_peer}
        work = op.op(op.tensor, group=op.group, tag=op.tag, **peer)
        if work is not None:
            works.append(work)
    return works


for _name in __all__:
    globals()[_name].__module__ = "torch.distributed.distributed_c10d"
