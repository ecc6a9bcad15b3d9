"""``torch.ao.nn.quantized.reference``: layers with quantized weights that compute with plain numbers."""

from .modules import *  # noqa: F401,F403
from .modules import __all__ as _names

__all__ = list(_names)
