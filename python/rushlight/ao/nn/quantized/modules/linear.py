"""Linear maps of quantized numbers."""

from typing import Optional

import rushlight as torch

from ....._library import publish
from ....._rushlight import Tensor
from .....nn import Linear as FloatLinear
from .....nn import Module
from .....nn.modules.linear import NonDynamicallyQuantizableLinear
from .....nn.utils.fusion import fuse_linear_bn_weights
from .utils import WeightedQuantizedModule, _empty_weight, _hide_packed_params_repr, _keep_bias, _quantize_weight

__all__ = ["LinearPackedParams", "Linear"]

_UNSUPPORTED = "Unsupported dtype on dynamic quantized linear!"


class LinearPackedParams(Module):
    """Weight and bias of a linear map, packed.

    Args:
        dtype: ``torch.qint8``, or ``torch.float16`` for weights that are rounded only.
    """

    _version = 3

    def __init__(self, dtype=torch.qint8):
        super().__init__()
        self.dtype = dtype
        if self.dtype == torch.qint8:
            weight = _empty_weight([1, 1])
        elif self.dtype == torch.float16:
            weight = torch.zeros([1, 1], dtype=torch.float)
        else:
            raise RuntimeError(_UNSUPPORTED)
        self.set_weight_bias(weight, None)

    @torch.jit.export
    def set_weight_bias(self, weight: Tensor, bias: Optional[Tensor]) -> None:
        """Packs a weight, quantized unless the dtype is float16, and a bias."""
        if self.dtype == torch.qint8:
            self._packed_params = torch.ops.quantized.linear_prepack(weight, bias)
        elif self.dtype == torch.float16:
            self._packed_params = torch.ops.quantized.linear_prepack_fp16(weight, bias)
        else:
            raise RuntimeError("Unsupported dtype on dynamic quantized linear!")
        if not torch.jit.is_scripting():
            _keep_bias(self._packed_params, bias)

    @torch.jit.export
    def _weight_bias(self):
        if self.dtype == torch.qint8:
            weight, bias = torch.ops.quantized.linear_unpack(self._packed_params)
            return weight, bias
        elif self.dtype == torch.float16:
            weight, bias = torch.ops.quantized.linear_unpack_fp16(self._packed_params)
            return weight, bias
        else:
            raise RuntimeError("Unsupported dtype on dynamic quantized linear!")

    def forward(self, x):
        return x

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "dtype"] = self.dtype
        destination[prefix + "_packed_params"] = self._weight_bias()

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        version = local_metadata.get("version", None)
        # Before version 2 weights were of 8 bits; before version 3 the tensors had entries of their own.
        self.dtype = state_dict.pop(prefix + "dtype") if version is not None and version >= 2 else torch.qint8
        if version is None or version < 3:
            weight, bias = state_dict.pop(prefix + "weight"), state_dict.pop(prefix + "bias")
        else:
            weight, bias = state_dict.pop(prefix + "_packed_params")
        self.set_weight_bias(weight, bias)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def __repr__(self):
        return repr(self._weight_bias())


class Linear(WeightedQuantizedModule):
    """``x Wᵀ + b`` of quantized numbers.

    Args:
        in_features, out_features: sizes of the last dimension of inputs and results.
        bias_: whether there is a bias.
        dtype: of the weight.

    Attributes:
        scale, zero_point: of the results.
    """

    _version = 3
    _FLOAT_MODULE = (FloatLinear, NonDynamicallyQuantizableLinear)

    def __init__(self, in_features, out_features, bias_=True, dtype=torch.qint8):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        bias = torch.zeros(out_features, dtype=torch.float) if bias_ else None
        if dtype == torch.qint8:
            weight = _empty_weight([out_features, in_features])
        elif dtype == torch.float16:
            weight = torch.zeros([out_features, in_features], dtype=torch.float)
        else:
            raise RuntimeError("Unsupported dtype specified for quantized Linear!")
        self._packed_params = LinearPackedParams(dtype)
        self._packed_params.set_weight_bias(weight, bias)
        self.scale = 1.0
        self.zero_point = 0

    def _get_name(self):
        return "QuantizedLinear"

    def extra_repr(self):
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, scale={self.scale}, "
            f"zero_point={self.zero_point}, qscheme={self.weight().qscheme()}"
        )

    def __repr__(self):
        return _hide_packed_params_repr(self, LinearPackedParams)

    def forward(self, x: Tensor) -> Tensor:
        return torch.ops.quantized.linear(x, self._packed_params._packed_params, self.scale, self.zero_point)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "scale"] = torch.tensor(self.scale)
        destination[prefix + "zero_point"] = torch.tensor(self.zero_point)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        self.scale = float(state_dict.pop(prefix + "scale"))
        self.zero_point = int(state_dict.pop(prefix + "zero_point"))
        version = local_metadata.get("version", None)
        if version is None or version == 1:
            # The first version kept the tensors itself.
            weight, bias = state_dict.pop(prefix + "weight"), state_dict.pop(prefix + "bias")
            state_dict.update({prefix + "_packed_params.weight": weight, prefix + "_packed_params.bias": bias})
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def _weight_bias(self):
        return self._packed_params._weight_bias()

    def weight(self):
        """The quantized weight."""
        return self._weight_bias()[0]

    def bias(self):
        """The bias, or None."""
        return self._weight_bias()[1]

    def set_weight_bias(self, w: Tensor, b: Optional[Tensor]) -> None:
        """Replaces the quantized weight and the bias."""
        self._packed_params.set_weight_bias(w, b)

    def _into(self, other):
        """Another layer of the same size, with this one's weights and scale."""
        other.set_weight_bias(*self._weight_bias())
        other.scale, other.zero_point = float(self.scale), int(self.zero_point)
        return other

    @classmethod
    def _of(cls, mod, qconfig, activation_post_process, use_precomputed_fake_quant):
        """The layer for the weights of `mod`, with the scale that the observer of its results found."""
        if hasattr(mod, "weight_fake_quant"):
            weight_post_process = mod.weight_fake_quant
        else:
            weight_post_process = qconfig.weight()
        if not use_precomputed_fake_quant:
            weight_post_process(mod.weight)
        dtype = weight_post_process.dtype
        act_scale, act_zp = activation_post_process.calculate_qparams()
        if dtype != torch.qint8:
            raise AssertionError(f"Weight observer must have dtype torch.qint8, got {dtype}")
        made = cls(mod.in_features, mod.out_features, dtype=dtype)
        made.set_weight_bias(_quantize_weight(mod.weight.float(), weight_post_process), mod.bias)
        made.scale, made.zero_point = float(act_scale), int(act_zp)
        return made

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a linear map that has been observed, or trained with quantization.

        Raises:
            AssertionError: `mod` is no linear map, or nothing has been said of its quantization.
        """
        from ...intrinsic import LinearReLU
        from ...intrinsic.qat import LinearBn1d

        observer = getattr(mod, "activation_post_process", None)
        if hasattr(mod, "weight_fake_quant"):
            if type(mod) is LinearBn1d:
                bn = mod.bn
                mod.weight, mod.bias = fuse_linear_bn_weights(
                    mod.weight, mod.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
                )
            return cls._of(mod, mod.qconfig, observer, use_precomputed_fake_quant)
        kinds = cls._FLOAT_MODULE if isinstance(cls._FLOAT_MODULE, (tuple, list)) else [cls._FLOAT_MODULE]
        if type(mod) not in kinds:
            names = ", ".join(kind.__name__ for kind in kinds)
            raise AssertionError(f"nnq.{cls.__name__}.from_float only works for {names}, but got: {type(mod)}")
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        if type(mod) is LinearReLU:
            mod = mod[0]
        return cls._of(mod, mod.qconfig, observer, use_precomputed_fake_quant)

    @classmethod
    def from_reference(cls, ref_qlinear, output_scale, output_zero_point):
        """The layer for one that keeps its quantized weight unpacked."""
        made = cls(ref_qlinear.in_features, ref_qlinear.out_features)
        made.set_weight_bias(ref_qlinear.get_quantized_weight(), ref_qlinear.bias)
        made.scale, made.zero_point = float(output_scale), int(output_zero_point)
        return made


publish(globals())
