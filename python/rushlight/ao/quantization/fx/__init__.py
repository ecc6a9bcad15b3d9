"""``torch.ao.quantization.fx``: the parts of quantization of recorded models."""

from .convert import convert
from .fuse import fuse
from .prepare import prepare

__all__ = ["convert", "fuse", "prepare"]
