"""Linear maps that train with rounded weights."""

from ....._library import publish
from .....nn import Linear as PlainLinear
from .....nn import functional as F

__all__ = ["Linear"]


class Linear(PlainLinear):
    """``x Wᵀ + b`` with a weight that passes through ``weight_fake_quant``.

    Raises:
        AssertionError: there is no configuration.
    """

    _FLOAT_MODULE = PlainLinear

    def __init__(self, in_features, out_features, bias=True, qconfig=None, device=None, dtype=None) -> None:
        super().__init__(in_features, out_features, bias, device=device, dtype=dtype)
        if not qconfig:
            raise AssertionError("qconfig must be provided for QAT module")
        self.qconfig = qconfig
        self.weight_fake_quant = qconfig.weight()

    def forward(self, input):
        return F.linear(input, self.weight_fake_quant(self.weight), self.bias)

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a plain linear map, whose parameters it takes.

        Raises:
            AssertionError: `mod` is of another class, or has no configuration.
        """
        from ...intrinsic import LinearReLU

        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError(
                f"qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}, got {type(mod).__name__}"
            )
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        if not mod.qconfig:
            raise AssertionError("Input float module must have a valid qconfig")
        if type(mod) is LinearReLU:
            mod = mod[0]
        made = cls(mod.in_features, mod.out_features, bias=mod.bias is not None, qconfig=mod.qconfig)
        made.weight = mod.weight
        made.bias = mod.bias
        return made

    def to_float(self):
        """A plain linear map with the same parameters."""
        made = PlainLinear(self.in_features, self.out_features, self.bias is not None)
        made.weight = _detached(self.weight)
        if self.bias is not None:
            made.bias = _detached(self.bias)
        made.train(self.training)
        return made


def _detached(parameter):
    """A parameter of the same numbers."""
    from .....nn import Parameter

    return Parameter(parameter.detach())


publish(globals())
