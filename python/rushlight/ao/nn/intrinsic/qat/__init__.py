"""``torch.ao.nn.intrinsic.qat``: layers that run as one and train with weights rounded as they will be quantized."""

from . import modules  # noqa: F401
from .modules import *  # noqa: F401,F403
from .modules import __all__ as _names

__all__ = list(_names)
