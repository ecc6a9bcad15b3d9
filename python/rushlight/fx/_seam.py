"""Where functions of the library meet proxies: calls with one among their arguments are recorded instead of made.

:mod:`rushlight._overriding` makes operators, methods of tensors and functions look at their arguments while a proxy is alive.
Proxies are looked for deeper than tensors are: inside of containers and slices too.
"""

import threading

from .. import _overriding, nn
from .._rushlight import ScriptMethod, ScriptObject

_lock = threading.RLock()
_alive = 0


def entered():
    """A proxy has been made."""
    global _alive
    with _lock:
        _alive += 1
        if _alive == 1:
            import sys

            _overriding.add("proxies", sys.modules[__name__])


def left():
    """A proxy is gone."""
    global _alive
    with _lock:
        _alive -= 1
        if _alive == 0:
            _overriding.drop("proxies")


def find_proxy(values):
    """The first proxy among arguments, also inside of their containers; None where there is none."""
    from .proxy import Proxy

    for value in values:
        if isinstance(value, Proxy):
            return value
        if isinstance(value, (tuple, list)):
            found = find_proxy(value)
        elif isinstance(value, dict):
            found = find_proxy(value.values())
        elif isinstance(value, slice):
            found = find_proxy((value.start, value.stop, value.step))
        else:
            continue
        if found is not None:
            return found
    return None


def record(proxy, function, args, kwargs):
    """Records a call in the graph of a proxy."""
    return type(proxy).__torch_function__(function, (type(proxy),), args, kwargs)


def record_script_call(call, method, args, kwargs):
    """The call of a compiled method: it is recorded where it is plain which of the root's modules it belongs to."""
    proxy = find_proxy((*args, *kwargs.values()))
    owner = None if proxy is None else _owner(method, proxy.tracer)
    if owner is None:
        return call(method, *args, **kwargs)
    return proxy.tracer.create_proxy("call_method", method.name, (owner, *args), kwargs)


def _owner(method, tracer):
    """The script object of a method, if just one below the root has it."""
    found = []
    for _, module in getattr(tracer, "root", nn.Module()).named_modules():
        held = vars(module).get("_c")
        theirs = getattr(held, method.name, None) if isinstance(held, ScriptObject) else None
        if isinstance(theirs, ScriptMethod) and str(theirs.schema) == str(method.schema):
            found.append(held)
    return found[0] if len(found) == 1 else None
