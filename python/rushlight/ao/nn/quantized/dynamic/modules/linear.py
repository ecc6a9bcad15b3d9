"""Linear maps with quantized weights, whose inputs are quantized as they come."""

import rushlight as torch

from ......_library import publish
from ......_rushlight import Tensor
from ......nn import Linear as FloatLinear
from ......nn.modules.linear import NonDynamicallyQuantizableLinear
from ...modules import linear as static
from ...modules.utils import _quantize_weight

__all__ = ["Linear"]


class Linear(static.Linear):
    """``x Wᵀ + b`` of plain numbers with a weight of 8 bits, or one that is rounded to float16.

    Args:
        in_features, out_features: sizes of the last dimension of inputs and results.
        bias_: whether there is a bias.
        dtype: ``torch.qint8`` or ``torch.float16``.
    """

    _version = 4

    def __init__(self, in_features, out_features, bias_=True, dtype=torch.qint8):
        super().__init__(in_features, out_features, bias_, dtype=dtype)
        self.version = 4

    def forward(self, x: Tensor) -> Tensor:
        if self._packed_params.dtype == torch.qint8:
            if self.version is None or self.version < 4:
                Y = torch.ops.quantized.linear_dynamic(x, self._packed_params._packed_params)
            else:
                Y = torch.ops.quantized.linear_dynamic(x, self._packed_params._packed_params, reduce_range=True)
        elif self._packed_params.dtype == torch.float16:
            Y = torch.ops.quantized.linear_dynamic_fp16(x, self._packed_params._packed_params)
        else:
            raise RuntimeError("Unsupported dtype on dynamic quantized linear!")
        return Y.to(x.dtype)

    def _get_name(self):
        return "DynamicQuantizedLinear"

    def extra_repr(self):
        text = f"in_features={self.in_features}, out_features={self.out_features}, dtype={self._packed_params.dtype}"
        if self._packed_params.dtype == torch.qint8:
            text += f", qscheme={self.weight().qscheme()}"
        return text

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        self.version = local_metadata.get("version", None)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a plain linear map, or one with a ReLU.

        Raises:
            AssertionError: `mod` is no linear map, or nothing has been said of its quantization.
        """
        from ....intrinsic import LinearReLU
        from ....qat.dynamic import Linear as TrainedLinear
        from .....quantization.qconfig import default_dynamic_qconfig

        kinds = [FloatLinear, NonDynamicallyQuantizableLinear, LinearReLU, TrainedLinear]
        if type(mod) not in kinds:
            raise AssertionError(
                f"nn.quantized.dynamic.Linear.from_float only works for one of{[kind.__name__ for kind in kinds]}, got {type(mod)}"
            )
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        if type(mod) is LinearReLU:
            mod = mod[0]
        qconfig = getattr(mod, "qconfig", None)
        if qconfig is None or qconfig.weight is None:
            qconfig = default_dynamic_qconfig
        observer = qconfig.weight()
        dtype = observer.dtype
        if dtype not in (torch.qint8, torch.float16):
            raise AssertionError(
                f"The only supported dtypes for dynamic quantized linear are qint8 and float16, got: {dtype}"
            )
        observer(mod.weight)
        made = cls(mod.in_features, mod.out_features, dtype=dtype)
        weight = mod.weight.float()
        made.set_weight_bias(_quantize_weight(weight, observer) if dtype == torch.qint8 else weight, mod.bias)
        return made

    @classmethod
    def from_reference(cls, ref_qlinear):
        """The layer for one that keeps its quantized weight unpacked."""
        made = cls(ref_qlinear.in_features, ref_qlinear.out_features, dtype=ref_qlinear.weight_dtype)
        weight = ref_qlinear.get_quantized_weight()
        made.set_weight_bias(weight if weight.is_quantized else ref_qlinear.weight.float(), ref_qlinear.bias)
        return made


publish(globals())
