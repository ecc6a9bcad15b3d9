"""``torch.distributed.rpc``: calls of functions of other processes, and references to the values that they keep.

The processes of a group meet in a file (``init_method="file://path"``, one machine) or at an address
(``"tcp://host:port"``, where the process of rank 0 listens; ``"env://"`` takes it from ``MASTER_ADDR`` and
``MASTER_PORT``). Scripted functions are called by name with values that scripts know; Python functions travel as pickles,
so that a process of the group can have the others do anything.

Therefore all processes of a group know a secret, and nobody else may join or call. On one machine it is made by itself: a
meeting at an address of the loopback device (``127.0.0.1``, ``localhost``) keeps it in a folder that only this user can use,
a meeting in a file keeps it there. A group that meets anywhere else brings one: ``RUSHLIGHT_RPC_SECRET`` holds at least 16
characters, or ``RUSHLIGHT_RPC_SECRET_FILE`` names a file of this user alone that holds them, the same in every process. What
is sent cannot be changed on its way, but it can be read there.
"""

import enum
import os
import typing

from ... import _rushlight
from . import constants, functions  # noqa: F401

_T = typing.TypeVar("_T")
_UNSET_TIMEOUT = constants.UNSET_RPC_TIMEOUT
_DEFAULT_TIMEOUT = constants.DEFAULT_RPC_TIMEOUT_SEC


def is_available():
    """Whether there are remote calls: yes."""
    return True


class BackendType(enum.Enum):
    """How processes talk; there is one way, by the reference's name for its own."""

    TENSORPIPE = "TENSORPIPE"


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


class RpcBackendOptions:
    """Where a group meets, and the limit of its calls in seconds."""

    def __init__(self, rpc_timeout=_DEFAULT_TIMEOUT, init_method=constants.DEFAULT_INIT_METHOD):
        self.rpc_timeout, self.init_method = rpc_timeout, init_method


class TensorPipeRpcBackendOptions(RpcBackendOptions):
    """Options of a group: threads that serve requests, limit of calls, meeting place. There are no other devices."""

    def __init__(
        self, *, num_worker_threads=constants.DEFAULT_NUM_WORKER_THREADS, rpc_timeout=_DEFAULT_TIMEOUT,
        init_method=constants.DEFAULT_INIT_METHOD, device_maps=None,
        devices=None, _transports=None, _channels=None,
    ):
        super().__init__(rpc_timeout, init_method)
        self.num_worker_threads = num_worker_threads
        self.device_maps = device_maps or {}
        self.devices = devices or []

    def set_device_map(self, to, device_map):
        """Says which device of another worker takes a tensor; only ``cpu`` to ``cpu`` makes sense here."""
        self.device_maps.setdefault(to, {}).update(device_map)


_timeout = _DEFAULT_TIMEOUT


def _meeting(options, rank, world_size):
    place = options.init_method
    if place.startswith("env://"):
        address, port = os.environ.get("MASTER_ADDR"), os.environ.get("MASTER_PORT")
        for name, value in (("MASTER_ADDR", address), ("MASTER_PORT", port)):
            if value is None:
                raise ValueError(f"Error initializing torch.distributed using env:// rendezvous: environment variable {name} expected, but not set")
        if rank < 0:
            rank = int(os.environ.get("RANK", -1))
        if world_size is None:
            world_size = int(os.environ.get("WORLD_SIZE", 0)) or None
        if ":" in address and not address.startswith("["):
            address = f"[{address}]"
        place = f"tcp://{address}:{port}"
    elif "?" in place:
        place, _, query = place.partition("?")
        known = dict(part.split("=", 1) for part in query.split("&") if "=" in part)
        rank = int(known.get("rank", rank)) if rank < 0 else rank
        world_size = int(known.get("world_size", 0)) or world_size if world_size is None else world_size
    if rank < 0 or world_size is None:
        raise ValueError("a worker of a group needs its rank and the size of the group: init_rpc(name, rank=.., world_size=..)")
    return place, rank, world_size


def init_rpc(name, backend=None, rank=-1, world_size=None, rpc_backend_options=None):
    """Joins a group of processes under a name of one's own; returns when all are there.

    Args:
        name: the name by which others call this process.
        backend: ignored; there is one way to talk.
        rank: the number of this process, from 0.
        world_size: how many processes there are.
        rpc_backend_options: where to meet and how long calls may take.
    """
    global _timeout
    options = rpc_backend_options or TensorPipeRpcBackendOptions()
    place, rank, world_size = _meeting(options, rank, world_size)
    _rushlight.rpc_start(
        name, place, rank, world_size, getattr(options, "num_worker_threads", 16), float(options.rpc_timeout)
    )
    _timeout = float(options.rpc_timeout)


def shutdown(graceful=True, timeout=0):
    """Leaves the group; a graceful leave waits until all want to."""
    _rushlight.rpc_stop(graceful)


def _is_current_rpc_agent_set():
    return _rushlight.rpc_is_on()


def get_rpc_timeout():
    """The limit of calls in seconds."""
    return _timeout


def get_worker_info(worker_name=None):
    """The worker of a name; this process without one."""
    workers = [WorkerInfo(name, rank) for name, rank in _rushlight.rpc_workers()]
    if worker_name is None:
        return workers[_rushlight.rpc_rank()]
    for worker in workers:
        if worker.name == worker_name:
            return worker
    me = workers[_rushlight.rpc_rank()]
    raise RuntimeError(f"name:{me.name},rank:{me.id} could not find destination name {worker_name}")


def _name_of(to):
    if isinstance(to, WorkerInfo):
        return to.name
    if isinstance(to, int):
        for name, rank in _rushlight.rpc_workers():
            if rank == to:
                return name
        raise RuntimeError(f"there is no worker of rank {to}")
    if isinstance(to, str):
        return to
    raise ValueError(f"Cannot get WorkerInfo from name {to}")


def rpc_async(to, func, args=None, kwargs=None, timeout=_UNSET_TIMEOUT):
    """Calls ``func(*args, **kwargs)`` on worker ``to``; a future of the result."""
    return _rushlight.rpc_call(_name_of(to), func, tuple(args or ()), dict(kwargs or {}), float(timeout))


def rpc_sync(to, func, args=None, kwargs=None, timeout=_UNSET_TIMEOUT):
    """Calls ``func(*args, **kwargs)`` on worker ``to`` and returns the result."""
    return rpc_async(to, func, args, kwargs, timeout).wait()


def remote(to, func, args=None, kwargs=None, timeout=_UNSET_TIMEOUT):
    """Calls ``func(*args, **kwargs)`` on worker ``to``, which keeps the result; a reference to it."""
    return _rushlight.rpc_create(_name_of(to), func, tuple(args or ()), dict(kwargs or {}), float(timeout))


def _remote_error(error):
    """What the caller is told of an exception that a function of this process has raised."""
    import traceback

    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    text = f"On {get_worker_info()}:\n{error!r}\n{text}"
    try:
        told = type(error)(text)
    except Exception:  # noqa: BLE001  a class of its own kind
        told = text
    return f"{type(error).__name__}: {told}"


_rushlight.register("remote_error", _remote_error)


def _on_value(reference, method, args, kwargs):
    return getattr(reference.local_value(), method)(*args, **kwargs)


class _Proxy:
    """Methods of a referenced value, called where it is."""

    def __init__(self, reference, call, timeout):
        self._parts = reference, call, timeout

    def __getattr__(self, name):
        reference, call, timeout = self._parts

        def method(*args, **kwargs):
            return call(reference.owner(), _on_value, (reference, name, args, kwargs), timeout=timeout)

        return method


for _function in (rpc_async, rpc_sync, remote):
    _function._rushlight_path = f"torch.distributed.rpc.{_function.__name__}"


class RRef(typing.Generic[_T]):
    """A reference to a value that one process of the group keeps.

    ``RRef(value)`` makes this process the one; :func:`remote` makes another. A reference that has gone on to a third
    process keeps its value until the group ends.
    """

    def __init__(self, value, type_hint=None):
        self._shared = value if isinstance(value, _rushlight.Shared) else _rushlight.rpc_keep(value)

    def is_owner(self):
        """Whether this process keeps the value."""
        return _rushlight.rref_facts(self._shared)[2]

    def owner(self):
        """The worker that keeps the value."""
        name, rank, _, _ = _rushlight.rref_facts(self._shared)
        return WorkerInfo(name, rank)

    def owner_name(self):
        """The name of the worker that keeps the value."""
        return self.owner().name

    def confirmed_by_owner(self):
        """Whether the owner knows of the reference: it does."""
        return True

    def to_here(self, timeout=_UNSET_TIMEOUT):
        """The value, copied to this process."""
        return _rushlight.rref_fetch(self._shared, float(timeout))

    def local_value(self):
        """The value where this process keeps it."""
        if not self.is_owner():
            _, _, _, (by, number) = _rushlight.rref_facts(self._shared)
            me, owner = get_worker_info(), self.owner()
            raise RuntimeError(
                f"For UserRRef(rref_id=GloballyUniqueId(created_on={by}, local_id={number}), "
                f"fork_id=GloballyUniqueId(created_on={by}, local_id={number + 1})), can't call localValue() on user {me}. "
                f"Call it on owner {owner}"
            )
        return self.to_here()

    def rpc_sync(self, timeout=_UNSET_TIMEOUT):
        """Methods of the value, called by its owner: ``reference.rpc_sync().method(...)``."""
        return _Proxy(self, rpc_sync, timeout)

    def rpc_async(self, timeout=_UNSET_TIMEOUT):
        """As :meth:`rpc_sync`; a future of the result."""
        return _Proxy(self, rpc_async, timeout)

    def remote(self, timeout=_UNSET_TIMEOUT):
        """As :meth:`rpc_sync`; a reference to the result, which the owner keeps."""
        return _Proxy(self, remote, timeout)

    def __repr__(self):
        _, _, own, (by, number) = _rushlight.rref_facts(self._shared)
        name, copy = (f"GloballyUniqueId(created_on={by}, local_id={n})" for n in (number, number + 1))
        return f"OwnerRRef({name})" if own else f"UserRRef(RRefId = {name}, ForkId = {copy})"

    def __reduce__(self):
        # Only remote calls make pickles of references; the value is kept until the group ends.
        if not _rushlight.rpc_is_on():
            raise RuntimeError("a remote reference travels only as an argument or result of a remote call")
        return _received, _rushlight.rref_share(self._shared)


def _received(name, rank, by, number):
    return RRef(_rushlight.rref_received(name, rank, by, number))


_rushlight.register("RRef", RRef)
PyRRef = RRef


from . import api  # noqa: E402, F401  it is made of the names above
