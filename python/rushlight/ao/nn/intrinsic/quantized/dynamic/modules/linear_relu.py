"""Linear map and ReLU, with a scale that each input gives."""

import rushlight as torch

from ......._library import publish
from ......._rushlight import Tensor
from .....quantized.dynamic.modules.linear import Linear
from ....modules import fused

__all__ = ["LinearReLU"]


class LinearReLU(Linear):
    """A linear map with quantized weights whose results below zero become zero."""

    _FLOAT_MODULE = fused.LinearReLU

    def __init__(self, in_features, out_features, bias=True, dtype=torch.qint8):
        super().__init__(in_features, out_features, bias, dtype)

    def forward(self, x: Tensor) -> Tensor:
        if self._packed_params.dtype == torch.qint8:
            Y = torch.ops.quantized.linear_relu_dynamic(x, self._packed_params._packed_params, reduce_range=True)
        elif self._packed_params.dtype == torch.float16:
            Y = torch.ops.quantized.linear_relu_dynamic_fp16(x, self._packed_params._packed_params)
        else:
            raise RuntimeError("Unsupported dtype on dynamic quantized linear relu!")
        return Y.to(x.dtype)

    def _get_name(self):
        return "DynamicQuantizedLinearReLU"


publish(globals())
