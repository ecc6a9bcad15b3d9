"""Exceptions of operators that Python has no class for."""

from . import _rushlight


class _LinAlgError(RuntimeError):
    """A matrix has no such decomposition: ``torch.linalg.LinAlgError``."""


_LinAlgError.__module__ = "torch._C"
_rushlight.register("_LinAlgError", _LinAlgError)
