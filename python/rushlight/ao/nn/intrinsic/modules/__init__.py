"""Layers that run as one, in plain numbers."""

from .fused import *  # noqa: F401,F403
from .fused import _FusedModule, __all__ as _names  # noqa: F401

__all__ = list(_names)
