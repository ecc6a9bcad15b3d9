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

import os

from ... import _rushlight
from . import constants, functions  # noqa: F401
from ._calls import remote, rpc_async, rpc_sync  # noqa: F401
from ._references import PyRRef, RRef  # noqa: F401
from ._workers import _NO_AGENT, WorkerInfo, _is_current_rpc_agent_set, get_worker_info  # noqa: F401
from .options import BackendType, RpcBackendOptions, TensorPipeRpcBackendOptions  # noqa: F401

_DEFAULT_TIMEOUT = constants.DEFAULT_RPC_TIMEOUT_SEC


def is_available():
    """Whether there are remote calls: yes."""
    return True


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


def get_rpc_timeout():
    """The limit of calls in seconds."""
    if not _is_current_rpc_agent_set():
        raise RuntimeError(_NO_AGENT)
    return _timeout


from . import api  # noqa: E402, F401  it is made of the names above
