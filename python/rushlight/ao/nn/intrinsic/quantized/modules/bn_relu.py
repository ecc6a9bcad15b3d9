"""Batch normalization and ReLU of quantized numbers."""

import rushlight as torch

from ......_library import publish
from ....quantized.modules.batchnorm import BatchNorm2d, BatchNorm3d
from ...modules import fused

__all__ = ["BNReLU2d", "BNReLU3d"]


class BNReLU2d(BatchNorm2d):
    """Normalizes images of quantized numbers; those below zero become zero."""

    _FLOAT_MODULE = fused.BNReLU2d

    def __init__(self, num_features, eps=1e-5, momentum=0.1, device=None, dtype=None):
        super().__init__(num_features, eps=eps, momentum=momentum, device=device, dtype=dtype)

    def forward(self, input):
        if len(input.shape) != 4:
            raise ValueError("Input shape must be `(N, C, H, W)`!")
        return torch.ops.quantized.batch_norm2d_relu(
            input, self.weight, self.bias, self.running_mean, self.running_var, self.eps, self.scale, self.zero_point
        )

    def _get_name(self):
        return "QuantizedBNReLU2d"


class BNReLU3d(BatchNorm3d):
    """Normalizes volumes of quantized numbers; those below zero become zero."""

    _FLOAT_MODULE = fused.BNReLU3d

    def __init__(self, num_features, eps=1e-5, momentum=0.1, device=None, dtype=None):
        super().__init__(num_features, eps=eps, momentum=momentum, device=device, dtype=dtype)

    def forward(self, input):
        if len(input.shape) != 5:
            raise ValueError("Input shape must be `(N, C, D, H, W)`!")
        return torch.ops.quantized.batch_norm3d_relu(
            input, self.weight, self.bias, self.running_mean, self.running_var, self.eps, self.scale, self.zero_point
        )

    def _get_name(self):
        return "QuantizedBNReLU3d"


publish(globals())
