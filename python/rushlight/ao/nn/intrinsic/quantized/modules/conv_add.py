"""Convolutions of quantized numbers to whose results others are added."""

import rushlight as torch

from ......_library import publish
from ......nn import functional as F
from ....quantized.modules.conv import Conv2d, _reverse_repeat_padding
from ...modules import fused

__all__ = ["ConvAdd2d", "ConvAddReLU2d"]


class ConvAdd2d(Conv2d):
    """A convolution plus other quantized numbers."""

    _FLOAT_MODULE = fused.ConvAdd2d

    def forward(self, input, extra_input):
        if len(input.shape) != 4:
            raise ValueError("Input shape must be `(N, C, H, W)`!")
        if self.padding_mode != "zeros":
            _reversed_padding_repeated_twice = _reverse_repeat_padding(self.padding)
            input = F.pad(input, _reversed_padding_repeated_twice, mode=self.padding_mode)
        return torch.ops.quantized.conv2d_add(input, extra_input, self._packed_params, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedConvAdd2d"


class ConvAddReLU2d(Conv2d):
    """A convolution plus other quantized numbers; results below zero become zero."""

    _FLOAT_MODULE = fused.ConvAddReLU2d

    def forward(self, input, extra_input):
        if len(input.shape) != 4:
            raise ValueError("Input shape must be `(N, C, H, W)`!")
        if self.padding_mode != "zeros":
            _reversed_padding_repeated_twice = _reverse_repeat_padding(self.padding)
            input = F.pad(input, _reversed_padding_repeated_twice, mode=self.padding_mode)
        return torch.ops.quantized.conv2d_add_relu(input, extra_input, self._packed_params, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedConvAddReLU2d"


publish(globals())
