"""A barrier that says who did not come."""

from ._work import deadline_in
from ._world import _group_or_default, _rank_not_in_group, _warn_not_in_group

__all__ = ["monitored_barrier"]


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """Waits until all members are here; member 0 raises an error that names who is not in time.

    Args:
        timeout: how long to wait; as long as collectives may take unless given.
        wait_all_ranks: name all who are missing, not only the first.
    """
    if _rank_not_in_group(group):
        _warn_not_in_group("monitored_barrier")
        return
    chosen = _group_or_default(group)
    seconds = chosen._seconds if timeout is None else getattr(timeout, "total_seconds", lambda: float(timeout))()
    if chosen.size() == 1:
        return

    deadline = deadline_in(seconds)
    mesh, ranks, channel = chosen._mesh, chosen._ranks, chosen._channel | 2

    def hear(member):
        slot = mesh.post(ranks[member], channel, 0)
        try:
            mesh.await_slots([slot], deadline, limit=seconds)
        except (RuntimeError, TimeoutError):
            mesh.withdraw(ranks[member], channel, 0, slot)
            raise

    def tell(member):
        return mesh.send(ranks[member], channel, 0, [memoryview(b"")])

    if chosen.rank() != 0:
        tell(0)
        try:
            hear(0)
        except (RuntimeError, TimeoutError) as error:
            raise RuntimeError(
                f"Rank {chosen.rank()} successfully reached monitoredBarrier, but received errors while waiting for send/recv from "
                f"rank 0. Please check rank 0 logs for faulty rank.\n Original exception: \n{error}"
            ) from None
        return
    missing, told = [], None
    for member in range(1, chosen.size()):
        try:
            hear(member)
        except (RuntimeError, TimeoutError) as error:
            missing.append(member)
            told = told or error
            if not wait_all_ranks:
                break
    if missing:
        names = ", ".join(str(member) for member in missing)
        word = "Ranks" if wait_all_ranks else "Rank"
        raise RuntimeError(
            f"[Rank 0]: {word} {names} failed to pass monitoredBarrier in {round(seconds * 1000)} ms\n Original exception: "
            f"\n{told}"
        )
    tickets = [tell(member) for member in range(1, chosen.size())]
    mesh.await_slots(tickets, deadline, "send", seconds)


monitored_barrier.__module__ = "torch.distributed.distributed_c10d"
