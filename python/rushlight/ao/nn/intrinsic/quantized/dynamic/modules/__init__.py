"""Layers that run as one, with scales that each input gives."""

from .linear_relu import LinearReLU

__all__ = ["LinearReLU"]
