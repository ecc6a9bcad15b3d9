"""Normalizations of quantized numbers that need no running statistics."""

import rushlight as torch

from ....._library import publish
from .....nn.modules import instancenorm, normalization

__all__ = ["LayerNorm", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


def _keep(module, weight, bias, scale, zero_point):
    """Gives a layer its weights and the scale and zero point of its results."""
    module.weight = weight
    module.bias = bias
    module.register_buffer("scale", torch.tensor(scale))
    module.register_buffer("zero_point", torch.tensor(zero_point))


def _observed(mod):
    """The scale and zero point that the observer of a module's results found."""
    scale, zero_point = mod.activation_post_process.calculate_qparams()
    return float(scale), int(zero_point)


class LayerNorm(normalization.LayerNorm):
    """Normalizes over the last dimensions."""

    def __init__(
        self, normalized_shape, weight, bias, scale, zero_point, eps=1e-5, elementwise_affine=True, device=None, dtype=None
    ) -> None:
        super().__init__(normalized_shape, eps=eps, elementwise_affine=elementwise_affine, device=device, dtype=dtype)
        _keep(self, weight, bias, scale, zero_point)

    def forward(self, input):
        return torch.ops.quantized.layer_norm(
            input, self.normalized_shape, self.weight, self.bias, self.eps, self.scale, self.zero_point
        )

    def _get_name(self):
        return "QuantizedLayerNorm"

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a plain one that has been observed."""
        return cls(mod.normalized_shape, mod.weight, mod.bias, *_observed(mod), mod.eps, mod.elementwise_affine)

    @classmethod
    def from_reference(cls, mod, scale, zero_point):
        """The layer for a plain one, with a scale and zero point for results."""
        return cls(mod.normalized_shape, mod.weight, mod.bias, float(scale), int(zero_point), mod.eps, mod.elementwise_affine)


class GroupNorm(normalization.GroupNorm):
    """Normalizes over groups of channels."""

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]

    def __init__(
        self, num_groups, num_channels, weight, bias, scale, zero_point, eps=1e-5, affine=True, device=None, dtype=None
    ) -> None:
        super().__init__(num_groups, num_channels, eps, affine, device=device, dtype=dtype)
        _keep(self, weight, bias, scale, zero_point)

    def forward(self, input):
        return torch.ops.quantized.group_norm(
            input, self.num_groups, self.weight, self.bias, self.eps, self.scale, self.zero_point
        )

    def _get_name(self):
        return "QuantizedGroupNorm"

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a plain one that has been observed."""
        return cls(mod.num_groups, mod.num_channels, mod.weight, mod.bias, *_observed(mod), mod.eps, mod.affine)


def _instance_like(cls, mod, scale, zero_point):
    return cls(mod.num_features, mod.weight, mod.bias, scale, zero_point, mod.eps, mod.affine)


class InstanceNorm1d(instancenorm.InstanceNorm1d):
    """Normalizes every channel of every sequence."""

    def __init__(
        self,
        num_features,
        weight,
        bias,
        scale,
        zero_point,
        eps=1e-5,
        momentum=0.1,
        affine=False,
        track_running_stats=False,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device=device, dtype=dtype)
        _keep(self, weight, bias, scale, zero_point)

    def forward(self, input):
        return torch.ops.quantized.instance_norm(input, self.weight, self.bias, self.eps, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedInstanceNorm1d"

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a plain one that has been observed."""
        return _instance_like(cls, mod, *_observed(mod))

    @classmethod
    def from_reference(cls, mod, scale, zero_point):
        """The layer for a plain one, with a scale and zero point for results."""
        return _instance_like(cls, mod, float(scale), int(zero_point))


class InstanceNorm2d(instancenorm.InstanceNorm2d):
    """Normalizes every channel of every image."""

    def __init__(
        self,
        num_features,
        weight,
        bias,
        scale,
        zero_point,
        eps=1e-5,
        momentum=0.1,
        affine=False,
        track_running_stats=False,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device=device, dtype=dtype)
        _keep(self, weight, bias, scale, zero_point)

    def forward(self, input):
        return torch.ops.quantized.instance_norm(input, self.weight, self.bias, self.eps, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedInstanceNorm2d"

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a plain one that has been observed."""
        return _instance_like(cls, mod, *_observed(mod))

    @classmethod
    def from_reference(cls, mod, scale, zero_point):
        """The layer for a plain one, with a scale and zero point for results."""
        return _instance_like(cls, mod, float(scale), int(zero_point))


class InstanceNorm3d(instancenorm.InstanceNorm3d):
    """Normalizes every channel of every volume."""

    def __init__(
        self,
        num_features,
        weight,
        bias,
        scale,
        zero_point,
        eps=1e-5,
        momentum=0.1,
        affine=False,
        track_running_stats=False,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device=device, dtype=dtype)
        _keep(self, weight, bias, scale, zero_point)

    def forward(self, input):
        return torch.ops.quantized.instance_norm(input, self.weight, self.bias, self.eps, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedInstanceNorm3d"

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a plain one that has been observed."""
        return _instance_like(cls, mod, *_observed(mod))

    @classmethod
    def from_reference(cls, mod, scale, zero_point):
        """The layer for a plain one, with a scale and zero point for results."""
        return _instance_like(cls, mod, float(scale), int(zero_point))


publish(globals())
