"""Calls of functions of other processes.

Scripted functions are called by name with their values. Python functions travel as one pickle with their arguments, made
before anything is sent, so that what cannot be pickled is told as ``pickle`` tells it.
"""

import pickle

from ... import _rushlight
from ...jit._builtins import _find_builtin
from . import _references
from ._errors import OfAnOperator, Raised
from ._workers import name_of
from .constants import UNSET_RPC_TIMEOUT


def _run(request):
    """Calls the function of a request; ``except`` lets the exception know where it came from."""
    func = None
    try:
        func, args, kwargs = pickle.loads(request)
        return func(*args, **kwargs)
    except Exception as error:
        if _find_builtin(func) is not None:
            raise OfAnOperator(str(error)) from None
        raise error


def _run_or_tell(request):
    """As :func:`_run`; an exception is the result."""
    try:
        return _run(request)
    except Exception as error:  # noqa: BLE001  it is raised where the result is asked for
        return Raised(error)


def _request(run, to, func, args, kwargs, timeout):
    """What the agent is asked for: a function and its arguments, a Python function by way of ``run``."""
    to, args, kwargs = name_of(to), tuple(args or ()), dict(kwargs or {})
    if callable(func) and not isinstance(func, _rushlight.ScriptFunction) and _rushlight.rpc_is_on():
        func, args, kwargs = run, (_references.pickled((func, args, kwargs)),), {}
    return to, func, args, kwargs, float(timeout)


def rpc_async(to, func, args=None, kwargs=None, timeout=UNSET_RPC_TIMEOUT):
    """Calls ``func(*args, **kwargs)`` on worker ``to``; a future of the result."""
    return _rushlight.rpc_call(*_request(_run, to, func, args, kwargs, timeout))


def rpc_sync(to, func, args=None, kwargs=None, timeout=UNSET_RPC_TIMEOUT):
    """Calls ``func(*args, **kwargs)`` on worker ``to`` and returns the result."""
    result = _rushlight.rpc_call(*_request(_run_or_tell, to, func, args, kwargs, timeout)).wait()
    if isinstance(result, Raised):
        raise result.of_a_call()
    return result


def remote(to, func, args=None, kwargs=None, timeout=UNSET_RPC_TIMEOUT):
    """Calls ``func(*args, **kwargs)`` on worker ``to``, which keeps the result; a reference to it."""
    return _rushlight.rpc_create(*_request(_run_or_tell, to, func, args, kwargs, timeout))


for _function in (rpc_async, rpc_sync, remote):
    _function._rushlight_path = f"torch.distributed.rpc.{_function.__name__}"
    _function.__module__ = "torch.distributed.rpc.api"
