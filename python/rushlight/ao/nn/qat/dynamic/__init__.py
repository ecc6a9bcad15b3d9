"""Layers that train with rounded weights, for inputs that are quantized as they come."""

from . import modules  # noqa: F401
from .modules import Linear

__all__ = ["Linear"]
