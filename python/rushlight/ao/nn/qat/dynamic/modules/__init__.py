"""Layers that train with rounded weights, for inputs that are quantized as they come."""

from .linear import Linear

__all__ = ["Linear"]
