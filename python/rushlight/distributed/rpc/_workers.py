"""The processes of a group, and how callers name them: by name, by rank or by what describes them."""

from ... import _rushlight

_NO_AGENT = "Current RPC agent is not set! Did you initialize the RPC framework (e.g. by calling `rpc.init_rpc`)?"


class WorkerInfo:
    """A process of the group: its name and its rank, called ``id``."""

    def __init__(self, name, id):  # noqa: A002  the reference's name
        self.name, self.id = name, id

    def __repr__(self):
        return f"WorkerInfo(id={self.id}, name={self.name})"

    def __eq__(self, other):
        return isinstance(other, WorkerInfo) and (self.name, self.id) == (other.name, other.id)

    def __hash__(self):
        return hash((self.name, self.id))


def _is_current_rpc_agent_set():
    return _rushlight.rpc_is_on()


def get_worker_info(worker_name=None):
    """The worker of a name or rank; this process without one."""
    workers = [WorkerInfo(name, rank) for name, rank in _rushlight.rpc_workers()]
    me = workers[_rushlight.rpc_rank()]
    if worker_name is None:
        return me
    if not isinstance(worker_name, (str, int)):
        raise TypeError(
            "get_worker_info(): incompatible function arguments. The following argument types are supported:\n"
            f"    the name of a worker, or its rank\n\nInvoked with: {worker_name!r}"
        )
    by = "name" if isinstance(worker_name, str) else "id"
    for worker in workers:
        if getattr(worker, by) == worker_name:
            return worker
    raise RuntimeError(f"name:{me.name},rank:{me.id} could not find destination {by} {worker_name}")


get_worker_info.__module__ = _is_current_rpc_agent_set.__module__ = "torch.distributed.rpc.api"


def name_of(to):
    """The name of a worker that a call is for."""
    if isinstance(to, WorkerInfo):
        return to.name
    if isinstance(to, int):
        return get_worker_info(to).name
    if isinstance(to, str):
        return to
    raise ValueError(f"Cannot get WorkerInfo from name {to}")
