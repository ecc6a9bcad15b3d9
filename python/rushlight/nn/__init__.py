"""``torch.nn``: functional forms; modules come with a later version."""

from .._rushlight import Tensor
from . import functional  # noqa: F401


class Module:
    """The base class of modules. This version runs modules from archives; it does not yet build them in Python."""

    def __init__(self, *_, **__):
        raise NotImplementedError("building nn.Module in Python is not supported by this version; load archives with torch.jit.load")


class Parameter:
    """A tensor that a module trains."""

    def __new__(cls, data, requires_grad=True):
        data.requires_grad = requires_grad
        return data


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"module 'torch.nn' has no attribute '{name}' (this version of Rushlight does not have it)")
