"""Convolution and ReLU of quantized numbers."""

import rushlight as torch

from ......_library import publish
from ......nn import functional as F
from ....quantized.modules.conv import Conv1d, Conv2d, Conv3d, _reverse_repeat_padding
from ...modules import fused

__all__ = ["ConvReLU1d", "ConvReLU2d", "ConvReLU3d"]


class ConvReLU1d(Conv1d):
    """A convolution whose results below zero become zero."""

    _FLOAT_MODULE = fused.ConvReLU1d

    def forward(self, input):
        if len(input.shape) != 3:
            raise ValueError("Input shape must be `(N, C, L)`!")
        if self.padding_mode != "zeros":
            _reversed_padding_repeated_twice = _reverse_repeat_padding(self.padding[:1])
            input = F.pad(input, _reversed_padding_repeated_twice, mode=self.padding_mode)
        return torch.ops.quantized.conv1d_relu(input, self._packed_params, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedConvReLU1d"


class ConvReLU2d(Conv2d):
    """A convolution whose results below zero become zero."""

    _FLOAT_MODULE = fused.ConvReLU2d

    def forward(self, input):
        if len(input.shape) != 4:
            raise ValueError("Input shape must be `(N, C, H, W)`!")
        if self.padding_mode != "zeros":
            _reversed_padding_repeated_twice = _reverse_repeat_padding(self.padding)
            input = F.pad(input, _reversed_padding_repeated_twice, mode=self.padding_mode)
        return torch.ops.quantized.conv2d_relu(input, self._packed_params, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedConvReLU2d"


class ConvReLU3d(Conv3d):
    """A convolution whose results below zero become zero."""

    _FLOAT_MODULE = fused.ConvReLU3d

    def forward(self, input):
        if len(input.shape) != 5:
            raise ValueError("Input shape must be `(N, C, D, H, W)`!")
        if self.padding_mode != "zeros":
            _reversed_padding_repeated_twice = _reverse_repeat_padding(self.padding)
            input = F.pad(input, _reversed_padding_repeated_twice, mode=self.padding_mode)
        return torch.ops.quantized.conv3d_relu(input, self._packed_params, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedConvReLU3d"


publish(globals())
