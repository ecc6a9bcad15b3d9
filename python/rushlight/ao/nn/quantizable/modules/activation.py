"""Attention that can be observed: not supported here."""

from ....._library import publish
from .....nn.modules.activation import MultiheadAttention as _PlainAttention

__all__ = ["MultiheadAttention"]


class MultiheadAttention(_PlainAttention):
    """Attention written step by step: not supported here, making one raises."""

    _FLOAT_MODULE = _PlainAttention

    def __init__(self, *args, **kwargs) -> None:
        raise NotImplementedError("observing and quantizing MultiheadAttention is not supported by Rushlight")

    @classmethod
    def from_float(cls, other):
        """The module for a plain one: raises."""
        raise NotImplementedError("observing and quantizing MultiheadAttention is not supported by Rushlight")


publish(globals())
