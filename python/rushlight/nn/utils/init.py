"""Modules without initial values."""

from ..._library import publish


def skip_init(module_cls, *args, **kwargs):
    """A module of a class; its values are not to be relied on."""
    kwargs.pop("device", None)
    return module_cls(*args, **kwargs)


publish(globals())
