"""Modules without initial values."""

import inspect

from ..._library import publish
from ..modules.module import Module


def skip_init(module_cls, *args, **kwargs):
    """A module of a class whose values nobody has made: they are not to be relied on, and no random numbers were drawn for them.

    Raises:
        RuntimeError: for what is no module, and for one that does not take a ``device``.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=device)


publish(globals())
