"""Exceptions of the compiler and of scripts."""

from .. import _rushlight


class Error(Exception):
    """An exception raised inside a script."""


class FrontendError(Exception):
    """Source that cannot be compiled."""


class NotSupportedError(FrontendError):
    """Python that TorchScript leaves out."""


class UnsupportedNodeError(NotSupportedError):
    """A kind of syntax that TorchScript leaves out."""


for _class in (Error, FrontendError, NotSupportedError, UnsupportedNodeError):
    _class.__module__ = "torch.jit" if _class is Error else "torch.jit.frontend"
    _rushlight.register(_class.__name__, _class)
