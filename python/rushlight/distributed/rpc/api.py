"""``torch.distributed.rpc.api``: calls, and what a group of workers does together."""

import functools
import threading

from . import (  # noqa: F401
    PyRRef, RRef, WorkerInfo, _is_current_rpc_agent_set, get_rpc_timeout, get_worker_info, remote, rpc_async, rpc_sync, shutdown,
)
from ... import _rushlight
from .constants import DEFAULT_SHUTDOWN_TIMEOUT, UNSET_RPC_TIMEOUT  # noqa: F401

_arrivals = threading.Condition()
# What came for gatherings that are under way, where this process is the one that collects.
_collected = {}
# How many gatherings a set of workers has had.
_counts = {}


def _require_initialized(func):
    """A function that needs a group."""

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        if not _is_current_rpc_agent_set():
            raise RuntimeError("RPC has not been initialized. Call torch.distributed.rpc.init_rpc first.")
        return func(*args, **kwargs)

    return wrapper


def _collect(place, names, name, obj, timeout):
    """Adds what one worker brought and waits for the others'."""
    with _arrivals:
        brought, gone = _collected.setdefault(place, ({}, set()))
        brought[name] = obj
        _arrivals.notify_all()
        complete = _arrivals.wait_for(lambda: len(brought) == len(names), timeout if timeout > 0 else None)
        gone.add(name)
        if len(gone) == len(names):
            _collected.pop(place, None)
        if not complete:
            missing = sorted(set(names) - set(brought))
            raise RuntimeError(f"timed out in _all_gather after {timeout:.2f} seconds: nothing came from {missing}")
        return dict(brought)


@_require_initialized
def _all_gather(obj, worker_names=None, timeout=UNSET_RPC_TIMEOUT):
    """What all workers, or some, bring to this call, by their names."""
    names = tuple(sorted(worker_names or (name for name, _ in _rushlight.rpc_workers())))
    me = get_worker_info().name
    if me not in names:
        raise RuntimeError(f"{me} is none of the workers {list(names)} that gather")
    with _arrivals:
        count = _counts[names] = _counts.get(names, -1) + 1
    limit = get_rpc_timeout() if timeout == UNSET_RPC_TIMEOUT else float(timeout)
    return rpc_sync(names[0], _collect, ((names, count), names, me, obj, limit), timeout=0)


@_require_initialized
def _barrier(worker_names):
    """Returns when all of the workers are here."""
    _all_gather(None, set(worker_names))


@_require_initialized
def _wait_all_workers(timeout=DEFAULT_SHUTDOWN_TIMEOUT):
    """Returns when all workers are here."""
    _all_gather(None, timeout=timeout)
