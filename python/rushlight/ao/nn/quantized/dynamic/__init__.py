"""Layers with quantized weights, whose inputs are quantized as they come."""

from . import modules  # noqa: F401
from .modules import *  # noqa: F401,F403
from .modules import __all__ as _names

__all__ = list(_names)
