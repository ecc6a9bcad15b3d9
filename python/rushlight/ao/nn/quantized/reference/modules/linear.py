"""Linear maps with a quantized weight."""

import rushlight as torch

from ......_library import publish
from ......_rushlight import Tensor
from ......nn import functional as F
from .utils import ReferenceQuantizedModule

__all__ = ["Linear"]


class Linear(torch.nn.Linear, ReferenceQuantizedModule):
    """``x Wᵀ + b`` of plain numbers, with a weight that knows how it is quantized (`weight_qparams`)."""

    _IS_REFERENCE = True

    def __init__(self, in_features, out_features, bias_=True, device=None, dtype=None, weight_qparams=None) -> None:
        super().__init__(in_features, out_features, bias_, device, dtype)
        self._init_weight_qparams(weight_qparams, device)

    def _get_name(self):
        return "QuantizedLinear(Reference)"

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.get_weight(), self.bias)

    @classmethod
    def from_float(cls, float_linear, weight_qparams):
        """The layer for a plain one."""
        made = cls(
            float_linear.in_features, float_linear.out_features, float_linear.bias is not None,
            weight_qparams=weight_qparams,
        )
        made.weight = torch.nn.Parameter(float_linear.weight.detach())
        if float_linear.bias is not None:
            made.bias = torch.nn.Parameter(float_linear.bias.detach())
        return made


publish(globals())
