"""Layers that run as one, with scales that each input gives."""

from . import modules
from .modules import LinearReLU

__all__ = ["LinearReLU"]
