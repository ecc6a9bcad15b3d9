"""Modules without initial values."""

from ..._library import publish
from ..modules.module import Module


def skip_init(module_cls, *args, **kwargs):
    """A module of a class; its values are not to be relied on."""
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    kwargs.pop("device", None)
    return module_cls(*args, **kwargs)


publish(globals())
