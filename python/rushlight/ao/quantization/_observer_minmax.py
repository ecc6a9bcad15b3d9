"""Observers of the smallest and largest numbers, of whole tensors or of every channel."""

from typing import Tuple

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor
from . import utils
from ._observer_base import UniformQuantizationObserverBase


class MinMaxObserver(UniformQuantizationObserverBase):
    """Keeps the smallest and the largest number of all tensors. Arguments as :class:`UniformQuantizationObserverBase`."""

    min_val: Tensor
    max_val: Tensor

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
        if not utils.is_per_tensor(qscheme):
            raise NotImplementedError(
                "MinMaxObserver's qscheme only support torch.per_tensor_symmetric                     "
                "and torch.per_tensor_affine."
            )
        super().__init__(
            dtype=dtype,
            qscheme=qscheme,
            reduce_range=reduce_range,
            quant_min=quant_min,
            quant_max=quant_max,
            factory_kwargs=factory_kwargs,
            eps=eps,
            is_dynamic=is_dynamic,
            **kwargs,
        )
        factory = dict(factory_kwargs or {})
        factory.pop("dtype", None)
        self.register_buffer("min_val", torch.tensor(float("inf"), **factory))
        self.register_buffer("max_val", torch.tensor(float("-inf"), **factory))
        if self.qscheme == torch.per_tensor_symmetric and self.reduce_range and self.dtype == torch.quint8:
            raise NotImplementedError(
                "Cannot reduce range for symmetric                                        quantization for quint8"
            )

    def forward(self, x_orig):
        if x_orig.numel() == 0:
            return x_orig
        low, high = torch.aminmax(x_orig.detach().to(self.min_val.dtype))
        self.min_val.copy_(torch.min(low, self.min_val))
        self.max_val.copy_(torch.max(high, self.max_val))
        return x_orig

    @torch.jit.export
    def calculate_qparams(self):
        """Scale and zero point of the range that was seen, each a tensor of one element."""
        return self._calculate_qparams(self.min_val, self.max_val)

    @torch.jit.export
    def extra_repr(self):
        return f"min_val={self.min_val}, max_val={self.max_val}"

    @torch.jit.export
    def reset_min_max_vals(self):
        self.min_val.copy_(torch.tensor(float("inf")))
        self.max_val.copy_(torch.tensor(float("-inf")))


class MovingAverageMinMaxObserver(MinMaxObserver):
    """Keeps averages of the smallest and the largest numbers, in which each tensor counts `averaging_constant`."""

    def __init__(
        self,
        averaging_constant=0.01,
        dtype=torch.quint8,
        qscheme=torch.per_tensor_affine,
        reduce_range=False,
        quant_min=None,
        quant_max=None,
        eps=torch.finfo(torch.float32).eps,
        is_dynamic=False,
        **kwargs,
    ) -> None:
        if not utils.is_per_tensor(qscheme):
            raise NotImplementedError(
                "MovingAverageMinMaxObserver's qscheme only support                 torch.per_tensor_symmetric and "
                f"torch.per_tensor_affine.                 but got: {qscheme}"
            )
        self.averaging_constant = averaging_constant
        if is_dynamic and averaging_constant != 1:
            raise NotImplementedError(
                "MovingAverageMinMaxObserver doesn't support dynamic quantization for averaging constant of "
                f"{self.averaging_constant}"
            )
        super().__init__(
            dtype=dtype,
            qscheme=qscheme,
            reduce_range=reduce_range,
            quant_min=quant_min,
            quant_max=quant_max,
            eps=eps,
            is_dynamic=is_dynamic,
            **kwargs,
        )

    def forward(self, x_orig):
        if x_orig.numel() == 0:
            return x_orig
        low, high = torch.aminmax(x_orig.detach().to(self.min_val.dtype))
        is_first = self.min_val == float("inf") and self.max_val == float("-inf")
        if not is_first:
            low = self.min_val + self.averaging_constant * (low - self.min_val)
            high = self.max_val + self.averaging_constant * (high - self.max_val)
        self.min_val.copy_(low)
        self.max_val.copy_(high)
        return x_orig


class PerChannelMinMaxObserver(UniformQuantizationObserverBase):
    """Keeps the smallest and the largest number of every channel, which dimension `ch_axis` counts."""

    min_val: Tensor
    max_val: Tensor

    def __init__(
        self,
        ch_axis=0,
        dtype=torch.quint8,
        qscheme=torch.per_channel_affine,
        reduce_range=False,
        quant_min=None,
        quant_max=None,
        factory_kwargs=None,
        eps=torch.finfo(torch.float32).eps,
        is_dynamic=False,
        **kwargs,
    ) -> None:
        _check_channels("PerChannelMinMaxObserver", qscheme, is_dynamic)
        super().__init__(
            dtype=dtype,
            qscheme=qscheme,
            reduce_range=reduce_range,
            quant_min=quant_min,
            quant_max=quant_max,
            factory_kwargs=factory_kwargs,
            eps=eps,
            is_dynamic=is_dynamic,
            **kwargs,
        )
        factory = dict(factory_kwargs or {})
        factory.pop("dtype", None)
        self.ch_axis = ch_axis
        self.register_buffer("min_val", torch.tensor([], **factory))
        self.register_buffer("max_val", torch.tensor([], **factory))
        if self.qscheme == torch.per_channel_symmetric and self.reduce_range and self.dtype == torch.quint8:
            raise NotImplementedError("Cannot reduce range for symmetric quantization for quint8")

    def forward(self, x_orig):
        return self._forward(x_orig)

    def _forward(self, x_orig):
        if x_orig.numel() == 0:
            return x_orig
        low, high = _channel_range(x_orig, self.ch_axis, self.min_val.dtype)
        if self.min_val.numel() != 0:
            low = torch.min(low, self.min_val)
            high = torch.max(high, self.max_val)
        _keep(self.min_val, low)
        _keep(self.max_val, high)
        return x_orig

    @torch.jit.export
    def calculate_qparams(self):
        """Scales and zero points, an element for every channel."""
        return self._calculate_qparams(self.min_val, self.max_val)

    @torch.jit.export
    def extra_repr(self):
        return f"min_val={self.min_val}, max_val={self.max_val}"

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        version = local_metadata.get("version")
        # Buffers take the number of channels of what is loaded; older versions call them otherwise.
        old = "s" if version is not None and version < 3 and prefix + "min_vals" in state_dict else ""
        for name in ("min_val", "max_val"):
            found = state_dict.get(prefix + name + old)
            if found is None:
                if strict:
                    missing_keys.append(prefix + name)
                continue
            getattr(self, name).resize_(found.shape)
            getattr(self, name).copy_(found)
            if old:
                state_dict[prefix + name] = state_dict.pop(prefix + name + old)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    @torch.jit.export
    def reset_min_max_vals(self):
        self.min_val = torch.rand(0)
        self.max_val = torch.rand(0)


class MovingAveragePerChannelMinMaxObserver(PerChannelMinMaxObserver):
    """Keeps averages of the smallest and the largest numbers of every channel."""

    def __init__(
        self,
        averaging_constant=0.01,
        ch_axis=0,
        dtype=torch.quint8,
        qscheme=torch.per_channel_affine,
        reduce_range=False,
        quant_min=None,
        quant_max=None,
        eps=torch.finfo(torch.float32).eps,
        is_dynamic=False,
        **kwargs,
    ) -> None:
        _check_channels("MovingAveragePerChannelMinMaxObserver", qscheme, is_dynamic)
        super().__init__(
            ch_axis=ch_axis,
            dtype=dtype,
            qscheme=qscheme,
            reduce_range=reduce_range,
            quant_min=quant_min,
            quant_max=quant_max,
            eps=eps,
            is_dynamic=is_dynamic,
            **kwargs,
        )
        self.averaging_constant = averaging_constant

    def forward(self, x_orig):
        if x_orig.numel() == 0:
            return x_orig
        low, high = _channel_range(x_orig, self.ch_axis, self.min_val.dtype)
        if self.min_val.numel() != 0:
            low = self.min_val + self.averaging_constant * (low - self.min_val)
            high = self.max_val + self.averaging_constant * (high - self.max_val)
        _keep(self.min_val, low)
        _keep(self.max_val, high)
        return x_orig


def _check_channels(name, qscheme, is_dynamic):
    """Refuses schemes without channels."""
    if not utils.is_per_channel(qscheme):
        raise NotImplementedError(
            f"{name}'s qscheme only support                     torch.per_channel_symmetric, torch.per_channel_affine "
            "and torch.per_channel_affine_float_qparams."
        )
    if is_dynamic:
        raise NotImplementedError(f"{name} doesn't support dynamic quantization")


def _channel_range(x: Tensor, axis: int, dtype: torch.dtype) -> Tuple[Tensor, Tensor]:
    """The smallest and the largest number of every channel."""
    order = [i for i in range(x.dim())]
    order[axis], order[0] = 0, axis
    flat = torch.flatten(x.detach().permute(order).to(dtype), start_dim=1)
    low, high = torch.aminmax(flat, dim=1)
    return low, high


def _keep(kept: Tensor, seen: Tensor) -> None:
    """Puts an end of the ranges into the buffer of an observer."""
    kept.resize_(seen.shape)
    kept.copy_(seen)


publish(globals(), "torch.ao.quantization.observer")
