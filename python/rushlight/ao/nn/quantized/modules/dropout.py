"""Dropout of quantized numbers: none, models that run on them are trained."""

from ....._library import publish
from .....nn.modules.dropout import Dropout as PlainDropout

__all__ = ["Dropout"]


class Dropout(PlainDropout):
    """Gives its input back."""

    def forward(self, input):
        return input

    def _get_name(self):
        return "QuantizedDropout"

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The module for a plain one."""
        return cls(mod.p, mod.inplace)

    @classmethod
    def from_reference(cls, mod, scale, zero_point):
        """The module for a plain one."""
        return cls(mod.p, mod.inplace)


publish(globals())
