"""The groups of this process: how it joins the group of all, and how smaller ones are made."""

import datetime
import itertools
import os
import time
import warnings

from . import _backend, _secret
from ._backend import Backend
from ._errors import DistError
from ._file_store import FileStore
from ._mesh import Mesh
from ._process_group import ProcessGroup
from ._sockets import is_loopback
from ._store import PrefixStore, Store
from ._tcp_store import TCPStore
from .constants import default_pg_timeout

__all__ = [
    "GroupMember", "ProcessGroupGloo", "destroy_process_group", "get_backend", "get_backend_config", "get_global_rank", "get_group_rank",
    "get_node_local_rank", "get_pg_count", "get_process_group_ranks", "get_rank", "get_world_size", "group",
    "init_process_group", "is_initialized", "new_group", "new_subgroups", "new_subgroups_by_enumeration", "set_timeout",
    "split_group",
]

_NOT_INITIALIZED = "Default process group has not been initialized, please make sure to call init_process_group."
_UNKNOWN = "Invalid process group specified"


class _World:
    """What this process is a member of."""

    def __init__(self):
        self.default, self.mesh, self.store = None, None, None
        # By group: the ranks of its members in the group of all. Of those of others, the last that was made.
        self.ranks, self.configurations = {}, {}
        self.names = itertools.count()
        self.meetings = itertools.count()


_world = _World()


class _GroupMeta(type):
    """Where ``group.WORLD`` is looked up."""

    @property
    def WORLD(cls):  # noqa: N802  the reference's name
        """The group of all, or None."""
        return _world.default

    @WORLD.setter
    def WORLD(cls, value):  # noqa: N802
        _world.default = value


class group(metaclass=_GroupMeta):  # noqa: N801  the reference's name
    """``group.WORLD`` is the group of all processes."""


class GroupMember(metaclass=_GroupMeta):
    """``GroupMember.WORLD`` is the group of all, ``NON_GROUP_MEMBER`` stands for one that this process is not in."""

    NON_GROUP_MEMBER = -100


_OUTSIDE = GroupMember.NON_GROUP_MEMBER


def is_initialized():
    """Whether this process has joined the group of all."""
    return _world.default is not None


def _get_default_group():
    """The group of all.

    Raises:
        ValueError: before ``init_process_group``.
    """
    if _world.default is None:
        raise ValueError(_NOT_INITIALIZED)
    return _world.default


def _group_or_default(chosen):
    if chosen is None:
        return _get_default_group()
    if not isinstance(chosen, ProcessGroup):
        _get_default_group()
        raise ValueError(f"Process group {chosen} is not initialized in the world group map. Please initialize the group first.")
    return chosen


def _rank_not_in_group(chosen):
    """Whether this process is not in a group."""
    return chosen is not None and chosen == _OUTSIDE


def _check_timeout(timeout):
    if not isinstance(timeout, datetime.timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")


def _host_and_secret(store):
    """Where this member listens, and whether only processes of this user can read what is in the store."""
    while isinstance(store, PrefixStore):
        store = store.underlying_store
    if isinstance(store, TCPStore):
        return store._local_address(), True
    if isinstance(store, FileStore):
        return "127.0.0.1", store._is_private()
    return "127.0.0.1", True


def _mesh(store, rank, size, timeout):
    """The connections of this process to all others."""
    deadline = time.monotonic() + timeout.total_seconds()
    host, private = _host_and_secret(store)
    secret = _secret.configured()
    if secret is None:
        if not private or not is_loopback(host):
            raise DistError(
                "processes that meet where others can look need a secret: set RUSHLIGHT_RPC_SECRET or "
                "RUSHLIGHT_RPC_SECRET_FILE in every process of the job"
            )
        if rank == 0:
            store.set("secret", _secret.fresh())
        secret = store.get("secret")
    return Mesh(store, rank, size, host, secret, deadline)


class ProcessGroupGloo(ProcessGroup):
    """A group that is not registered: processes that meet in a store of a program's own.

    Args:
        store: where they meet; nobody else may use its keys ``mesh/...``.
        rank, size: which of how many this process is.
        timeout: how long to wait for the others, and how long collectives may take.
    """

    def __init__(self, store, rank, size, timeout=default_pg_timeout):
        _check_timeout(timeout)
        mesh = _mesh(PrefixStore("mesh", store), rank, size, timeout) if size > 1 else None
        super().__init__(mesh, range(size), rank, "gloo", timeout, store=store)

    def shutdown(self):
        """Leaves the group."""
        self._shut_down()
        if self._mesh is not None:
            self._mesh.close()


def init_process_group(
    backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="", pg_options=None,
    device_id=None, _ranks=None, enable_reconfigure=False,
):
    """Joins the group of all processes of a job; returns when all are there.

    Args:
        backend: ``gloo``, or None for the same; ``cpu:gloo`` by device.
        init_method: where to meet: ``env://`` (unless given), ``tcp://host:port``, ``file://path``.
        timeout: how long to wait for the others, and how long collectives may take; 30 minutes.
        world_size, rank: how many processes there are, and which this one is.
        store: a store to meet with, instead of `init_method`.

    Raises:
        ValueError: when the process is a member already, and where the rank or the size are missing.
        RuntimeError: for backends that are not built, and when the others do not come in time.
    """
    if _world.default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    assert store is None or init_method is None, "Cannot specify both init_method and store."
    if store is not None:
        assert world_size > 0, "world_size must be positive if using store"
        assert rank >= 0, "rank must be non-negative if using store"
    if timeout is None:
        timeout = default_pg_timeout
    _check_timeout(timeout)
    name = None if backend is None else Backend(backend)
    if name == Backend.MPI:
        _backend.refuse(name)
    if store is None:
        from .rendezvous import rendezvous

        store, rank, world_size = next(iter(rendezvous(init_method or "env://", rank, world_size, timeout=timeout)))
        store.set_timeout(timeout)
    shown, configured = _backend.configuration(name)
    if not 0 <= rank < world_size:
        raise RuntimeError(f"rank < size. {rank} vs {world_size}")
    # Jobs that meet in one store one after the other keep their keys apart.
    part = PrefixStore(f"default_pg/{next(_world.meetings)}", store)
    _world.names = itertools.count(1)
    if world_size > 1:
        _world.mesh = _mesh(PrefixStore("mesh", part), rank, world_size, timeout)
    _world.store = part
    ranks = list(range(world_size))
    _world.default = _register(
        ProcessGroup(_world.mesh, ranks, rank, group_name or "0", timeout, "gloo", "default_pg", part), ranks, shown, configured
    )
    if world_size > 1:
        # All leave together, so that nobody takes the store away from who still meets.
        try:
            _world.default.barrier(now=True)
        except BaseException:
            destroy_process_group()
            raise


def _register(made, ranks, shown, configured):
    _world.ranks[made] = {rank: i for i, rank in enumerate(ranks)}
    _world.configurations[made] = shown, configured
    return made


def destroy_process_group(group=None):  # noqa: A002  the reference's name
    """Leaves a group; the group of all, with all others, unless one is given.

    Raises:
        ValueError: for what is no group.
    """
    if group is not None and group == _OUTSIDE:
        return
    chosen = _world.default if group is None else group
    assert chosen is not None, "Process group cannot be None"
    if chosen not in _world.ranks:
        raise ValueError(_UNKNOWN)
    if chosen is not _world.default:
        chosen._shut_down()
        del _world.ranks[chosen], _world.configurations[chosen]
        return
    for made in _world.ranks:
        if made != _OUTSIDE:
            made._shut_down()
    if _world.mesh is not None:
        _world.mesh.close()
    _world.ranks.clear()
    _world.configurations.clear()
    _world.default = _world.mesh = _world.store = None


def get_rank(group=None):  # noqa: A002  the reference's name
    """The number of this process in a group; -1 if it is not in it."""
    if _rank_not_in_group(group):
        return -1
    default = _get_default_group()
    if group is None or group is default:
        return default.rank()
    return get_group_rank(group, default.rank())


def get_world_size(group=None):  # noqa: A002
    """How many processes a group has; -1 if this one is not in it."""
    if _rank_not_in_group(group):
        return -1
    chosen = _group_or_default(group)
    if chosen not in _world.ranks:
        return chosen.size()
    return len(_world.ranks[chosen])


def get_backend(group=None):  # noqa: A002
    """The name of the backend of a group."""
    if _rank_not_in_group(group):
        raise ValueError(_UNKNOWN)
    chosen = _group_or_default(group)
    if chosen not in _world.configurations:
        raise ValueError(_UNKNOWN)
    return _world.configurations[chosen][0]


def get_backend_config(group=None):  # noqa: A002
    """The backends of a group by device."""
    if _rank_not_in_group(group):
        raise ValueError(_UNKNOWN)
    chosen = _group_or_default(group)
    if chosen not in _world.configurations:
        raise ValueError(_UNKNOWN)
    return _world.configurations[chosen][1]


def get_group_rank(group, global_rank):  # noqa: A002
    """The number in a group of a process of the group of all."""
    if group is GroupMember.WORLD:
        return global_rank
    if group not in _world.ranks:
        raise ValueError(f"Group {group} is not registered, please create group with torch.distributed.new_group API")
    if global_rank not in _world.ranks[group]:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return _world.ranks[group][global_rank]


def get_global_rank(group, group_rank):  # noqa: A002
    """The number in the group of all of a process of a group."""
    if group is GroupMember.WORLD:
        return group_rank
    if group not in _world.ranks:
        raise ValueError(f"Group {group} is not registered, please create group with torch.distributed.new_group API")
    for rank, number in _world.ranks[group].items():
        if number == group_rank:
            return rank
    raise ValueError(f"Group rank {group_rank} is not part of group {group}")


def get_process_group_ranks(group):  # noqa: A002
    """The numbers of a group's members in the group of all."""
    return list(_world.ranks[group if _rank_not_in_group(group) else _group_or_default(group)])


def get_pg_count():
    """How many groups there are."""
    return len(_world.ranks)


def get_node_local_rank(fallback_rank=None):
    """The number of this process on its machine, as a launcher has set it.

    Raises:
        RuntimeError: without a launcher and `fallback_rank`.
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to work, "
        "assuming you are not running in a multi-device context and want the code to run locally instead."
    )


def _name_of_local(ranks):
    """A name that the members of a group agree on without the others."""
    known = "_".join(map(str, ranks))
    same = sum(1 for made in _world.ranks if made != _OUTSIDE and made.group_name.startswith(f"local:{known}:"))
    return f"local:{known}:{same}"


def new_group(
    ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None, device_id=None,
    sort_ranks=True,
):
    """A group of some of the processes. All processes must make the same groups in the same order.

    Args:
        ranks: the numbers of the members; all unless given.
        timeout: how long collectives may take; as in the group of all unless given.
        use_local_synchronization: only the members make the group.
        sort_ranks: whether members are numbered in the order of their numbers in the group of all, or of `ranks`.

    Returns:
        The group, or ``GroupMember.NON_GROUP_MEMBER`` for a process that is not in it.
    """
    default = _get_default_group()
    if timeout is None:
        timeout = datetime.timedelta(seconds=default._seconds)
    _check_timeout(timeout)
    own, size = default.rank(), default.size()
    if ranks is None:
        ranks = list(range(size))
    else:
        ranks = sorted(ranks) if sort_ranks else list(ranks)
        if len(set(ranks)) != len(ranks):
            raise ValueError(f"ranks list must not contain duplicate entries, got {ranks}")
        if len(ranks) > size:
            raise ValueError("the new group's world size should be less or equal to the world size set by init_process_group")
        for rank in ranks:
            if not 0 <= rank < size:
                raise ValueError(f"Rank {rank} is out of range. Valid ranks are 0 to {size - 1} (world_size={size})")
    assert ranks, "Group rank must be specified for group members"
    if use_local_synchronization:
        if own not in ranks:
            return None
        name = _name_of_local(ranks)
    else:
        name = str(next(_world.names))
    if own not in ranks:
        _world.ranks[_OUTSIDE] = {rank: i for i, rank in enumerate(ranks)}
        return _OUTSIDE
    if backend is None:
        shown, configured = _world.configurations[default]
    else:
        shown, configured = _backend.configuration(Backend(backend))
    made = ProcessGroup(
        _world.mesh, ranks, ranks.index(own), name, timeout, "gloo", group_desc or "undefined", PrefixStore(name, _world.store)
    )
    return _register(made, ranks, shown, configured)


def new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None):  # noqa: A002
    """Groups of equally many processes: the one that this process is in, and all."""
    if group_size is None:
        raise ValueError("there are no devices on this machine by whose number groups could be made: give group_size")
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    size = get_world_size()
    if size < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({size})")
    if size % group_size:
        raise ValueError(f"The world size ({size}) must be divisible by '{group_size=}'")
    parts = [list(range(at, at + group_size)) for at in range(0, size, group_size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None):
    """Groups of the given processes: the one that this process is in, and all."""
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    own, made, seen = None, [], {}
    for ranks in ranks_per_subgroup_list:
        part = new_group(ranks, timeout, backend, pg_options, group_desc=group_desc)
        made.append(part)
        for rank in ranks:
            if rank in seen:
                raise ValueError(f"Rank {rank} has appeared in both subgroup {seen[rank]} and {ranks}")
            seen[rank] = ranks
            if rank == get_rank():
                own = part
    return own, made


def split_group(parent_pg=None, split_ranks=None, timeout=None, pg_options=None, group_desc=None, backend=None):
    """The group that this process is in when a group is split; ``NON_GROUP_MEMBER`` if it is in none."""
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    parent = _group_or_default(parent_pg)
    own = None
    for ranks in split_ranks:
        made = new_group([get_global_rank(parent, rank) for rank in ranks], timeout, backend, group_desc=group_desc)
        if made != _OUTSIDE:
            own = made
    return _OUTSIDE if own is None else own


def set_timeout(timeout, group=None):  # noqa: A002
    """Changes how long collectives of a group may take."""
    _check_timeout(timeout)
    _group_or_default(group).set_timeout(timeout)


def _warn_not_in_group(name):
    rank = -1 if GroupMember.WORLD is None else GroupMember.WORLD.rank()
    warnings.warn(f"Running {name} on global rank {rank} which does not belong to the given group.", stacklevel=3)


for _class in (group, GroupMember, ProcessGroupGloo):
    _class.__module__ = "torch.distributed.distributed_c10d"
