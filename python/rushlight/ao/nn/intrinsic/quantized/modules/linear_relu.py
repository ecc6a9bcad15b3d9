"""Linear maps of quantized numbers with what follows them."""

import rushlight as torch

from ......_library import publish
from ......_rushlight import Tensor
from ....quantized.modules.linear import Linear
from ...modules import fused

__all__ = ["LinearReLU", "LinearLeakyReLU", "LinearTanh"]


class LinearReLU(Linear):
    """A linear map whose results below zero become zero."""

    _FLOAT_MODULE = fused.LinearReLU

    def __init__(self, in_features, out_features, bias=True, dtype=torch.qint8):
        super().__init__(in_features, out_features, bias, dtype)

    def forward(self, x: Tensor) -> Tensor:
        return torch.ops.quantized.linear_relu(x, self._packed_params._packed_params, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedLinearReLU"


class LinearLeakyReLU(Linear):
    """A linear map whose results below zero are multiplied by `negative_slope`. It runs on no engine of this library."""

    _FLOAT_MODULE = fused.LinearLeakyReLU

    def __init__(self, in_features, out_features, negative_slope, bias=True, dtype=torch.qint8):
        super().__init__(in_features, out_features, bias, dtype)
        self.negative_slope = negative_slope

    def forward(self, x: Tensor) -> Tensor:
        return torch.ops.quantized.linear_leaky_relu(
            x, self._packed_params._packed_params, self.scale, self.zero_point, self.negative_slope
        )

    def _get_name(self):
        return "QuantizedLinearLeakyReLU"

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The module for a :class:`torch.ao.nn.intrinsic.LinearLeakyReLU` that has been observed."""
        if type(mod) is not fused.LinearLeakyReLU:
            raise AssertionError("Input float module should be LinearLeakyReLU")
        plain = Linear._of(mod[0], mod.qconfig, mod.activation_post_process, use_precomputed_fake_quant)
        return plain._into(cls(plain.in_features, plain.out_features, mod[1].negative_slope))


class LinearTanh(Linear):
    """A linear map and the tanh of its results. It runs on no engine of this library."""

    _FLOAT_MODULE = fused.LinearTanh

    def __init__(self, in_features, out_features, bias=True, dtype=torch.qint8):
        super().__init__(in_features, out_features, bias, dtype)

    def forward(self, x: Tensor) -> Tensor:
        return torch.ops.quantized.linear_tanh(x, self._packed_params._packed_params, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedLinearTanh"

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The module for a :class:`torch.ao.nn.intrinsic.LinearTanh` that has been observed."""
        if type(mod) is not fused.LinearTanh:
            raise AssertionError("Input float module should be LinearTanh")
        plain = Linear._of(mod[0], mod.qconfig, mod.activation_post_process, use_precomputed_fake_quant)
        return plain._into(cls(plain.in_features, plain.out_features))


publish(globals())
