"""``torch.distributed.distributed_c10d``: groups, collectives, messages and stores under one roof."""

import contextlib as _contextlib
import enum as _enum

from ._backend import *  # noqa: F401,F403
from ._collectives import *  # noqa: F401,F403
from ._collectives import _all_gather_base, _reduce_scatter_base  # noqa: F401
from ._errors import *  # noqa: F401,F403
from ._file_store import FileStore  # noqa: F401
from ._grad_bucket import GradBucket  # noqa: F401
from ._monitored import monitored_barrier  # noqa: F401
from ._objects import *  # noqa: F401,F403
from ._point_to_point import *  # noqa: F401,F403
from ._process_group import ProcessGroup  # noqa: F401
from ._reduce_op import (  # noqa: F401
    AllreduceCoalescedOptions,
    AllreduceOptions,
    AllToAllOptions,
    BarrierOptions,
    BroadcastOptions,
    GatherOptions,
    ReduceOp,
    ReduceOptions,
    ReduceScatterOptions,
    ScatterOptions,
    reduce_op,
)
from ._store import HashStore, PrefixStore, Store  # noqa: F401
from ._tcp_store import TCPStore  # noqa: F401
from ._work import Work  # noqa: F401
from ._world import *  # noqa: F401,F403
from ._world import _get_default_group, _rank_not_in_group, _warn_not_in_group, _world  # noqa: F401
from .constants import default_pg_nccl_timeout, default_pg_timeout  # noqa: F401
from .rendezvous import register_rendezvous_handler, rendezvous  # noqa: F401


# Groups that were made, by themselves: what the reference keeps of each.
_pg_map = {}


def _get_global_rank(group, rank):
    """The earlier name of ``get_global_rank``."""
    return get_global_rank(group, rank)  # noqa: F405


def _get_default_store():
    """The store with which the group of all has met."""
    _get_default_group()
    return _world.store


class DebugLevel(_enum.Enum):
    """How much collectives tell of themselves; here always nothing."""

    OFF = 0
    INFO = 1
    DETAIL = 2


def get_debug_level():
    """How much collectives tell of themselves."""
    return DebugLevel.OFF


@_contextlib.contextmanager
def _coalescing_manager(group=None, device=None, async_ops=False):
    """Collectives inside go one by one."""
    yield None


DebugLevel.__module__ = "torch.distributed.distributed_c10d"
