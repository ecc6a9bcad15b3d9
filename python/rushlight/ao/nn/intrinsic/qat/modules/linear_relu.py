"""Linear map and ReLU that train with a rounded weight."""

from ......_library import publish
from ......_rushlight import Tensor
from ......nn import ReLU
from ......nn import functional as F
from ....qat.modules import linear
from ...modules import fused

__all__ = ["LinearReLU"]


class LinearReLU(linear.Linear, fused._FusedModule):
    """``relu(x Wᵀ + b)`` with a weight that passes through ``weight_fake_quant``."""

    _FLOAT_MODULE = fused.LinearReLU

    def __init__(self, in_features, out_features, bias=True, qconfig=None) -> None:
        super().__init__(in_features, out_features, bias, qconfig)

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(F.linear(input, self.weight_fake_quant(self.weight), self.bias))

    def to_float(self):
        """A plain linear map and a ReLU with the same parameters."""
        return fused.LinearReLU(super().to_float(), ReLU())


publish(globals())
