"""Plain weights that know how they are quantized: scale, zero point, scheme and dtype beside each."""

from typing import Any, Optional

import rushlight as torch

from ......_library import publish
from ......_rushlight import Tensor

__all__ = ["ReferenceQuantizedModule"]

_SCHEMES = (
    None, torch.per_tensor_affine, torch.per_channel_affine, torch.per_channel_affine_float_qparams,
)
_PER_CHANNEL = (torch.per_channel_affine, torch.per_channel_affine_float_qparams)
_INTEGERS = (torch.quint8, torch.qint8, torch.qint32)
# What is said of a weight where nothing is.
_UNSAID = {"qscheme": torch.per_tensor_affine, "dtype": torch.quint8, "scale": 1.0, "zero_point": 0}


def _keep_qparams(module, name: str, qparams: Optional[dict[str, Any]], device=None) -> None:
    """Lets a module know how its weight `name` is quantized.

    Raises:
        AssertionError: the scheme is none that weights have.
    """
    qparams = _UNSAID if qparams is None else qparams
    scheme, dtype = qparams["qscheme"], qparams["dtype"]
    if scheme not in _SCHEMES:
        raise AssertionError(f"qscheme: {scheme} is not support in reference quantized {module._get_name()}")
    setattr(module, name + "_qscheme", scheme)
    setattr(module, name + "_dtype", dtype)
    scale, zero_point = (1.0, 0) if scheme is None else (qparams["scale"], qparams["zero_point"])
    points = torch.float if scheme == torch.per_channel_affine_float_qparams else torch.int
    for part, value, kind in (("scale", scale, torch.float), ("zero_point", zero_point, points)):
        value = value.detach().clone() if isinstance(value, Tensor) else torch.tensor(value, dtype=kind, device=device)
        module.register_buffer(f"{name}_{part}", value)
    axis = qparams["axis"] if scheme in _PER_CHANNEL else 0
    module.register_buffer(name + "_axis", torch.tensor(axis, dtype=torch.int, device=device))
    setattr(module, name + "_axis_int", int(axis))


def _quantized(module, name: str) -> Tensor:
    """The weight `name` of a module, quantized; in half precision where that is its dtype."""
    weight, scheme, dtype = (getattr(module, name + part) for part in ("", "_qscheme", "_dtype"))
    scale, zero_point = getattr(module, name + "_scale"), getattr(module, name + "_zero_point")
    weight = weight.detach()
    if dtype == torch.float16:
        return weight.to(torch.float16)
    if scheme == torch.per_tensor_affine and dtype in _INTEGERS:
        return torch.quantize_per_tensor(weight, float(scale), int(zero_point), dtype)
    if scheme == torch.per_channel_affine and dtype in _INTEGERS:
        return torch.quantize_per_channel(
            weight, scale.to(torch.double), zero_point.to(torch.int64), getattr(module, name + "_axis_int"), dtype
        )
    if scheme == torch.per_channel_affine_float_qparams and dtype in _INTEGERS:
        return torch.quantize_per_channel(
            weight, scale.to(torch.float), zero_point.to(torch.float), getattr(module, name + "_axis_int"), dtype
        )
    raise ValueError(f"a weight of dtype {dtype} with the scheme {scheme} cannot be quantized")


def _rounded(module, name: str) -> Tensor:
    """The weight `name` of a module, as it is after it was quantized."""
    weight = _quantized(module, name)
    return weight.dequantize() if weight.is_quantized else weight.to(torch.float)


class ReferenceQuantizedModule(torch.nn.Module):
    """What layers with one quantized weight share."""

    def _init_weight_qparams(self, weight_qparams: Optional[dict[str, Any]], device) -> None:
        _keep_qparams(self, "weight", weight_qparams, device)
        qparams = weight_qparams or {}
        self.weight_quant_min, self.weight_quant_max = qparams.get("quant_min"), qparams.get("quant_max")
        self.is_decomposed = qparams.get("is_decomposed", False)

    def get_weight(self) -> Tensor:
        """The weight as it is after it was quantized."""
        return _rounded(self, "weight")

    def get_quantized_weight(self) -> Tensor:
        """The quantized weight."""
        return _quantized(self, "weight")

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "weight_qscheme"] = self.weight_qscheme
        destination[prefix + "weight_dtype"] = self.weight_dtype

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        for name in ("weight_qscheme", "weight_dtype"):
            if prefix + name in state_dict:
                setattr(self, name, state_dict.pop(prefix + name))
        for name in ("weight_scale", "weight_zero_point"):
            # There may have been none, or one for everything.
            if prefix + name in state_dict:
                self.register_buffer(name, state_dict[prefix + name].clone())
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )
        self.weight_axis_int = int(self.weight_axis)


publish(globals())
