"""References to values that one process of a group keeps.

Only calls make pickles of references: those of arguments are made by :func:`pickled`, those of results by the agent, where no
Python code asks.
"""

import functools
import pickle
import sys
import threading
import typing

from ... import _rushlight
from ._errors import opened
from ._workers import _NO_AGENT, WorkerInfo, get_worker_info
from .constants import UNSET_RPC_TIMEOUT

_T = typing.TypeVar("_T")
_sending = threading.local()


def pickled(request):
    """The pickle of a request, which may hold references."""
    before, _sending.on = getattr(_sending, "on", False), True
    try:
        return pickle.dumps(request)
    finally:
        _sending.on = before


def _scripted():
    from ...jit import ScriptModule

    return ScriptModule


def _type_of(reference):
    return type(reference.local_value())


def _on_value(reference, method, args, kwargs):
    return getattr(reference.local_value(), method)(*args, **kwargs)


class _Proxy:
    """Methods of a referenced value, called where it is."""

    def __init__(self, reference, call, timeout):
        self._parts = reference, call, timeout

    def __getattr__(self, name):
        return functools.partial(_invoke, *self._parts, name)


def _invoke(reference, call, timeout, name, *args, **kwargs):
    """Calls a method that the class of the value has."""
    kind = reference._type(timeout)
    if not issubclass(kind, _scripted()):
        getattr(kind, name)
    return call(reference.owner(), _on_value, (reference, name, args, kwargs), timeout=timeout)


class PyRRef:
    """A reference as calls hand it out, see :class:`RRef`."""

    _kind = None

    def __init__(self, value, type_hint=None):
        if isinstance(value, _rushlight.Shared):
            self._shared = value
            return
        if not _rushlight.rpc_is_on():
            raise RuntimeError(_NO_AGENT)
        if type_hint is not None and not isinstance(value, _scripted()):
            raise RuntimeError("type_hint should only be specified when the RRef being created contains a ScriptModule.")
        self._shared = _rushlight.rpc_keep(value)

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

    def to_here(self, timeout=UNSET_RPC_TIMEOUT):
        """The value, copied to this process."""
        return opened(_rushlight.rref_fetch(self._shared, float(timeout)))

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

    def _type(self, timeout):
        """The class of the value, which its owner is asked for once."""
        if self._kind is None:
            from ._calls import rpc_sync

            self._kind = rpc_sync(self.owner(), _type_of, (self,), timeout=timeout)
        return self._kind

    def rpc_sync(self, timeout=UNSET_RPC_TIMEOUT):
        """Methods of the value, called by its owner: ``reference.rpc_sync().method(...)``."""
        from ._calls import rpc_sync

        return _Proxy(self, rpc_sync, timeout)

    def rpc_async(self, timeout=UNSET_RPC_TIMEOUT):
        """As :meth:`rpc_sync`; a future of the result."""
        from ._calls import rpc_async

        return _Proxy(self, rpc_async, timeout)

    def remote(self, timeout=UNSET_RPC_TIMEOUT):
        """As :meth:`rpc_sync`; a reference to the result, which the owner keeps."""
        from ._calls import remote

        return _Proxy(self, remote, timeout)

    def __repr__(self):
        _, _, own, (by, number) = _rushlight.rref_facts(self._shared)
        name, copy = (f"GloballyUniqueId(created_on={by}, local_id={n})" for n in (number, number + 1))
        return f"OwnerRRef({name})" if own else f"UserRRef(RRefId = {name}, ForkId = {copy})"

    def __reduce_ex__(self, protocol):
        # The agent pickles results where no Python code runs; the value is kept until the group ends.
        if not getattr(_sending, "on", False) and sys._getframe(0).f_back is not None:
            raise RuntimeError("Can not pickle rref in python pickler, rref can only be pickled when using RPC")
        return _received, _rushlight.rref_share(self._shared)


class RRef(PyRRef, typing.Generic[_T]):
    """A reference to a value that one process of the group keeps.

    ``RRef(value)`` makes this process the one; ``remote`` makes another. A reference that has gone on to a third process keeps
    its value until the group ends.
    """


def _received(name, rank, by, number):
    return PyRRef(_rushlight.rref_received(name, rank, by, number))


PyRRef.__module__ = WorkerInfo.__module__ = "torch._C._distributed_rpc"
RRef.__module__ = "torch.distributed.rpc.api"
_rushlight.register("RRef", PyRRef)
