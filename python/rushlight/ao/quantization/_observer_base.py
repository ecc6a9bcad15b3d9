"""What all observers share."""

import warnings
from abc import ABC, abstractmethod
from typing import Tuple

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor
from ...nn import Module
from . import utils
from ._partial import _with_args, _with_callable_args
from ._qparams import scale_and_zero_point

_DTYPES = (
    torch.qint8, torch.quint8, torch.quint4x2, torch.qint32, torch.int8, torch.uint8, torch.int16, torch.int32, torch.uint16,
)
# As messages list them: with dtypes that have no tensors here.
_LISTED = (
    "(torch.qint8, torch.quint8, torch.quint4x2, torch.qint32, torch.int8, torch.uint8, torch.int16, torch.int32, "
    "torch.float8_e5m2, torch.float8_e4m3fn, torch.uint16)"
)
_SCHEMES = (
    torch.per_tensor_affine, torch.per_tensor_symmetric, torch.per_channel_affine, torch.per_channel_symmetric,
    torch.per_channel_affine_float_qparams,
)


class ObserverBase(ABC, Module):
    """A module that looks at the tensors passing through it and says how to quantize them."""

    def __init__(self, dtype, is_dynamic: bool = False):
        super().__init__()
        self.dtype = dtype
        self.is_dynamic = is_dynamic

    @abstractmethod
    def forward(self, x):
        """Looks at a tensor and gives it back."""

    @abstractmethod
    def calculate_qparams(self, **kwargs):
        """Scale and zero point for what has been seen."""

    with_args = classmethod(_with_args)
    with_callable_args = classmethod(_with_callable_args)


class UniformQuantizationObserverBase(ObserverBase):
    """Observers of numbers that become evenly spaced integers.

    Args:
        dtype: the quantized dtype.
        qscheme: one scale or one for every channel, with or without a zero point.
        reduce_range: leaves the highest bit of the integers free.
        quant_min, quant_max: the range of integers, where it is not all of the dtype's.
        factory_kwargs: options of the tensors that the observer keeps.
        eps: the smallest scale.
        is_dynamic: whether scales are to be found anew for every input.

    Raises:
        AssertionError: the dtype or range cannot be quantized to.
    """

    _version = 3
    eps: Tensor

    def __init__(
        self,
        dtype=torch.quint8,
        qscheme=torch.per_tensor_affine,
        reduce_range=False,
        quant_min=None,
        quant_max=None,
        factory_kwargs=None,
        eps=torch.finfo(torch.float32).eps,
        is_dynamic=False,
        **kwargs,
    ) -> None:
        factory = dict(factory_kwargs or {})
        factory.pop("dtype", None)
        super().__init__(dtype=dtype, is_dynamic=is_dynamic, **kwargs)
        self.qscheme = qscheme
        if reduce_range:
            warnings.warn(
                "Please use quant_min and quant_max to specify the range for observers.                     "
                "reduce_range will be deprecated in a future release of PyTorch.",
                stacklevel=2,
            )
        self.reduce_range = reduce_range
        self.register_buffer("eps", torch.tensor([eps], dtype=torch.float32, **factory))
        if self.qscheme not in _SCHEMES:
            raise AssertionError(
                "Default Observer only works for per_tensor_affine, per_tensor_symmetric, per_channel_affine, "
                "per_channel_symmetric and per_channel_float_qparams quantization scheme"
            )
        if self.dtype not in _DTYPES:
            raise AssertionError(f"Default Observer only works for {_LISTED} data type")
        self.has_customized_qrange = quant_min is not None and quant_max is not None
        if self.has_customized_qrange:
            utils.validate_qmin_qmax(quant_min, quant_max)
        self.quant_min, self.quant_max = utils.calculate_qmin_qmax(
            quant_min, quant_max, self.has_customized_qrange, self.dtype, self.reduce_range
        )

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        if local_metadata.get("version", None) in (None, 1):
            # The first version kept no smallest scale.
            state_dict[prefix + "eps"] = torch.tensor([torch.finfo(torch.float32).eps])
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    @torch.jit.export
    def _validate_qmin_qmax(self, quant_min: int, quant_max: int) -> None:
        utils.validate_qmin_qmax(quant_min, quant_max)

    @torch.jit.export
    def _calculate_qparams(self, min_val: Tensor, max_val: Tensor) -> Tuple[Tensor, Tensor]:
        """Scale and zero point of a range; the defaults, with a warning, where nothing has been seen."""
        if not utils.check_min_max_valid(min_val, max_val):
            return torch.tensor([1.0], device=min_val.device), torch.tensor([0], device=min_val.device)
        return scale_and_zero_point(
            min_val, max_val, self.quant_min, self.quant_max, self.dtype, self.eps, self.has_customized_qrange, self.qscheme
        )

    @torch.jit.export
    def reset_min_max_vals(self):
        """Forgets what has been seen."""
        raise NotImplementedError("Cannot reset min/max values in the given observer.")


_ObserverBase = UniformQuantizationObserverBase

publish(globals(), "torch.ao.quantization.observer")
