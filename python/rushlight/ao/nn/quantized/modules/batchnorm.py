"""Batch normalization of quantized numbers."""

import rushlight as torch

from ....._library import publish
from ....._rushlight import Tensor
from .....nn.modules import batchnorm as plain

__all__ = ["BatchNorm2d", "BatchNorm3d"]


class _BatchNorm(plain._BatchNorm):
    """What both share.

    Attributes:
        scale, zero_point: of the results.
    """

    def __init__(self, num_features, eps=1e-5, momentum=0.1, device=None, dtype=None) -> None:
        super().__init__(num_features, eps, momentum, True, True, device=device, dtype=dtype)
        self.register_buffer("scale", torch.tensor(1.0))
        self.register_buffer("zero_point", torch.tensor(0))

    @staticmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The module for a plain one, or one with a ReLU, that has been observed."""
        observer = mod.activation_post_process
        if not hasattr(mod, "running_mean"):
            mod = mod[0]
        scale, zero_point = observer.calculate_qparams()
        made = cls(mod.num_features, mod.eps)
        for name in ("weight", "bias", "running_mean", "running_var"):
            setattr(made, name, getattr(mod, name))
        made.scale = scale
        made.zero_point = zero_point
        return made

    @classmethod
    def from_reference(cls, bn, output_scale, output_zero_point):
        """The module for a plain one, with a scale and zero point for results."""
        made = cls(bn.num_features, bn.eps)
        for name in ("weight", "bias", "running_mean", "running_var"):
            setattr(made, name, getattr(bn, name))
        made.scale, made.zero_point = torch.as_tensor(output_scale), torch.as_tensor(output_zero_point)
        return made


class BatchNorm2d(_BatchNorm):
    """Normalizes images, ``(N, C, H, W)``, by the running statistics."""

    def _get_name(self):
        return "QuantizedBatchNorm2d"

    def _check_input_dim(self, input):
        if len(input.shape) != 4:
            raise ValueError("Input shape must be `(N, C, H, W)`!")

    def forward(self, input: Tensor) -> Tensor:
        scale, zero_point = float(self.scale), int(self.zero_point)
        return torch.ops.quantized.batch_norm2d(
            input, self.weight, self.bias, self.running_mean, self.running_var, self.eps, scale, zero_point
        )

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """See :meth:`_BatchNorm.from_float`."""
        return _BatchNorm.from_float(cls, mod, use_precomputed_fake_quant)


class BatchNorm3d(_BatchNorm):
    """Normalizes volumes, ``(N, C, D, H, W)``, by the running statistics."""

    def _get_name(self):
        return "QuantizedBatchNorm3d"

    def _check_input_dim(self, input):
        if len(input.shape) != 5:
            raise ValueError("Input shape must be `(N, C, H, W)`!")

    def forward(self, input: Tensor) -> Tensor:
        scale, zero_point = float(self.scale), int(self.zero_point)
        return torch.ops.quantized.batch_norm3d(
            input, self.weight, self.bias, self.running_mean, self.running_var, self.eps, scale, zero_point
        )

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """See :meth:`_BatchNorm.from_float`."""
        return _BatchNorm.from_float(cls, mod, use_precomputed_fake_quant)


publish(globals())
