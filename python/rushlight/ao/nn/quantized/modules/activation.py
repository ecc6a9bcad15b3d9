"""Activations of quantized numbers."""

import rushlight as torch

from ....._library import publish
from ....._rushlight import Tensor
from .....nn import Module
from .....nn.modules import activation as plain
from .. import functional as qF
from ...quantizable.modules.activation import MultiheadAttention as _ObservedAttention

__all__ = ["ReLU6", "Hardswish", "ELU", "LeakyReLU", "Sigmoid", "Softmax", "MultiheadAttention", "PReLU"]


def _observed(mod):
    """The scale and zero point that the observer of a module's results found."""
    scale, zero_point = mod.activation_post_process.calculate_qparams()
    return float(scale), int(zero_point)


class ReLU6(plain.ReLU):
    """``min(max(x, 0), 6)``; results keep the input's scale."""

    def __init__(self, inplace=False):
        super().__init__(inplace)
        self.inplace = inplace

    def forward(self, input):
        return torch.ops.quantized.relu6(input, self.inplace)

    def _get_name(self):
        return "QuantizedReLU6"

    @staticmethod
    def from_float(mod, use_precomputed_fake_quant=False):
        """The module for a plain one."""
        return ReLU6(mod.inplace)


class Hardswish(plain.Hardswish):
    """``x · relu6(x + 3) / 6``."""

    def __init__(self, scale, zero_point, device=None, dtype=None):
        super().__init__()
        self.register_buffer("scale", torch.tensor(scale))
        self.register_buffer("zero_point", torch.tensor(zero_point))

    def forward(self, input):
        return torch.ops.quantized.hardswish(input, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedHardswish"

    @staticmethod
    def from_float(mod, use_precomputed_fake_quant=False):
        """The module for a plain one that has been observed."""
        return Hardswish(*_observed(mod))

    @classmethod
    def from_reference(cls, mod, scale, zero_point):
        """The module for a plain one, with a scale and zero point for results."""
        return cls(float(scale), int(zero_point))


class ELU(plain.ELU):
    """``x`` where it is positive, ``alpha · (exp(x) - 1)`` elsewhere."""

    def __init__(self, scale, zero_point, alpha=1.0):
        super().__init__(alpha)
        self.scale = scale
        self.zero_point = zero_point

    def forward(self, input):
        return qF.elu(input, self.scale, self.zero_point, self.alpha)

    def _get_name(self):
        return "QuantizedELU"

    @staticmethod
    def from_float(mod, use_precomputed_fake_quant=False):
        """The module for a plain one that has been observed."""
        return ELU(*_observed(mod), mod.alpha)

    @classmethod
    def from_reference(cls, mod, scale, zero_point):
        """The module for a plain one, with a scale and zero point for results."""
        return cls(float(scale), int(zero_point), mod.alpha)


class LeakyReLU(plain.LeakyReLU):
    """``x`` where it is positive, ``negative_slope · x`` elsewhere."""

    def __init__(
        self, scale: float, zero_point: int, negative_slope: float = 1e-2, inplace: bool = False, device=None, dtype=None
    ) -> None:
        super().__init__(negative_slope, inplace)
        self.register_buffer("scale", torch.tensor(scale))
        self.register_buffer("zero_point", torch.tensor(zero_point))

    def forward(self, input):
        return torch.ops.quantized.leaky_relu(input, self.negative_slope, self.inplace, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedLeakyReLU"

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The module for a plain one that has been observed."""
        return cls(*_observed(mod), mod.negative_slope, mod.inplace)

    @classmethod
    def from_reference(cls, mod, scale, zero_point):
        """The module for a plain one, with a scale and zero point for results."""
        return cls(float(scale), int(zero_point), mod.negative_slope, mod.inplace)


class Sigmoid(plain.Sigmoid):
    """``1 / (1 + exp(-x))``."""

    def __init__(self, output_scale: float, output_zero_point: int):
        super().__init__()
        self.output_scale = output_scale
        self.output_zero_point = output_zero_point

    def forward(self, input):
        return torch.ops.quantized.sigmoid(input, self.output_scale, self.output_zero_point)

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The module for a plain one that has been observed."""
        return cls(*_observed(mod))


class Softmax(plain.Softmax):
    """Exponentials along a dimension, divided by their sum."""

    def __init__(self, dim=None, scale=1.0, zero_point=0):
        super().__init__()
        self.dim = dim
        self.scale = scale
        self.zero_point = zero_point

    def forward(self, input):
        dim = self.dim
        if dim is None:
            rank = input.dim()
            dim = 0 if rank == 0 or rank == 1 or rank == 3 else 1
        return torch.ops.quantized.softmax(input, dim, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedSoftmax"

    @staticmethod
    def from_float(mod, use_precomputed_fake_quant=False):
        """The module for a plain one that has been observed."""
        return Softmax(mod.dim, *_observed(mod))

    @classmethod
    def from_reference(cls, mod, scale, zero_point):
        """The module for a plain one, with a scale and zero point for results."""
        return cls(mod.dim, float(scale), int(zero_point))


class MultiheadAttention(_ObservedAttention):
    """Attention over quantized numbers."""

    _FLOAT_MODULE = _ObservedAttention

    def _get_name(self):
        return "QuantizedMultiheadAttention"

    @classmethod
    def from_float(cls, other):
        """Not from plain modules: they have to be observed first."""
        raise NotImplementedError(
            "It looks like you are trying to convert a non-observed MHA module. "
            "Please, see the examples on quantizable MHAs."
        )

    @classmethod
    def from_observed(cls, other):
        """The module for an observed one."""
        from ....quantization import convert

        converted = convert(other, mapping=None, inplace=False, remove_qconfig=True, convert_custom_config_dict=None)
        converted.__class__ = cls
        if converted.bias_k is not None:
            # The learned keys say how the learned values are rounded, too: the reference's numbers are these.
            scale, zero_point = torch._choose_qparams_per_tensor(converted.bias_k.detach(), False)
            for name in ("bias_k", "bias_v"):
                learned = converted._parameters.pop(name).detach()
                setattr(converted, name, torch.quantize_per_tensor(learned, float(scale), int(zero_point), torch.quint8))
        for name in ("in_proj_weight", "in_proj_bias"):
            converted._parameters.pop(name, None)
        return converted


class PReLU(Module):
    """``x`` where it is positive, ``weight · x`` elsewhere, with one weight or one for every channel."""

    def __init__(self, output_scale: float, output_zero_point: int, num_parameters: int = 1) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.scale = output_scale
        self.zero_point = output_zero_point
        w = torch.randn(num_parameters, dtype=torch.float)
        self.set_weight(torch.quantize_per_tensor(w, scale=1.0, zero_point=0, dtype=torch.quint8))

    def set_weight(self, w: Tensor) -> None:
        """Replaces the quantized weight."""
        self.weight = w

    def forward(self, input: Tensor) -> Tensor:
        return torch.ops.quantized.prelu(input, self.weight, self.scale, self.zero_point)

    def _get_name(self):
        return "QuantizedPReLU"

    @classmethod
    def _with(cls, mod, scale, zero_point, observer):
        made = cls(float(scale), int(zero_point), mod.num_parameters)
        weight = mod.weight.float()
        observer(weight)
        weight_scale, weight_zero_point = observer.calculate_qparams()
        made.set_weight(torch.quantize_per_tensor(weight, float(weight_scale), int(weight_zero_point), torch.quint8))
        return made

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The module for a plain one that has been observed."""
        return cls._with(mod, *_observed(mod), mod.qconfig.weight())

    @classmethod
    def from_reference(cls, mod, scale, zero_point):
        """The module for a plain one, with a scale and zero point for results."""
        from ....quantization.observer import MinMaxObserver

        return cls._with(mod, scale, zero_point, mod.qconfig.weight() if hasattr(mod, "qconfig") else MinMaxObserver())


publish(globals())
