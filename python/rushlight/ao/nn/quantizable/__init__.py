"""``torch.ao.nn.quantizable``: layers written step by step, so that each step can be observed and quantized."""

from .. import quantized  # noqa: F401  the two refer to one another: it comes first
from . import modules  # noqa: F401
from .modules import *  # noqa: F401,F403
from .modules import __all__ as _names

__all__ = list(_names)
