"""``torch.ao.nn.quantized.functional``: operations on quantized numbers that need no layer."""

import warnings
from typing import List, Optional

import rushlight as torch

from ...._library import publish
from ...._rushlight import Tensor
from ....nn import functional as F
from ....nn.modules.utils import _pair, _single, _triple

__all__ = [
    "avg_pool2d", "avg_pool3d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "conv1d", "conv2d", "conv3d", "interpolate",
    "linear", "max_pool1d", "max_pool2d", "celu", "leaky_relu", "hardtanh", "hardswish", "threshold", "elu", "hardsigmoid",
    "clamp", "upsample", "upsample_bilinear", "upsample_nearest",
]


def avg_pool2d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """Means of windows of images, ``(N, C, H, W)``; results keep the input's scale."""
    if not input.is_quantized:
        raise ValueError("Input to 'quantized.avg_pool2d' must be quantized!")
    return F.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def avg_pool3d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
):
    """Means of windows of volumes, ``(N, C, D, H, W)``; results keep the input's scale."""
    if not input.is_quantized:
        raise ValueError("Input to 'quantized.avg_pool3d' must be quantized!")
    return F.avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def adaptive_avg_pool2d(input: Tensor, output_size: torch._jit_internal.BroadcastingList2[int]) -> Tensor:
    """Means of as many windows as `output_size` says; results keep the input's scale."""
    if not input.is_quantized:
        raise ValueError("Input to 'quantized.functional.adaptive_avg_pool2d' must be quantized!")
    return F.adaptive_avg_pool2d(input, output_size)


def adaptive_avg_pool3d(input: Tensor, output_size: torch._jit_internal.BroadcastingList3[int]) -> Tensor:
    """Means of as many windows as `output_size` says; results keep the input's scale."""
    if not input.is_quantized:
        raise ValueError("Input to 'quantized.functional.adaptive_avg_pool3d' must be quantized!")
    return F.adaptive_avg_pool3d(input, output_size)


def _check_conv(input, weight, padding_mode, dtype):
    """Refuses what convolutions of quantized numbers do not do."""
    if padding_mode != "zeros":
        raise NotImplementedError("Only zero-padding is supported!")
    if input.dtype != torch.quint8:
        raise NotImplementedError("Only torch.quint8 is supported for activation tensor!")
    if weight.dtype != torch.qint8:
        raise NotImplementedError("Only torch.qint8 is supported for weight tensor!")


def conv1d(
    input,
    weight,
    bias,
    stride=1,
    padding=0,
    dilation=1,
    groups=1,
    padding_mode="zeros",
    scale=1.0,
    zero_point=0,
    dtype=torch.quint8,
):
    """Convolution over sequences, ``(N, C, L)``, with a quantized weight; results have `scale` and `zero_point`."""
    _check_conv(input, weight, padding_mode, dtype)
    if input.ndim != 3:
        raise ValueError("Input shape must be `(N, C, L)`!")
    packed = torch.ops.quantized.conv1d_prepack(
        weight, bias, list(_single(stride)), list(_single(padding)), list(_single(dilation)), groups
    )
    return torch.ops.quantized.conv1d(input, packed, scale, zero_point)


def conv2d(
    input,
    weight,
    bias,
    stride=1,
    padding=0,
    dilation=1,
    groups=1,
    padding_mode="zeros",
    scale=1.0,
    zero_point=0,
    dtype=torch.quint8,
):
    """Convolution over images, ``(N, C, H, W)``, with a quantized weight; results have `scale` and `zero_point`."""
    _check_conv(input, weight, padding_mode, dtype)
    if input.ndim != 4:
        raise ValueError("Input shape must be `(N, C, H, W)`!")
    packed = torch.ops.quantized.conv2d_prepack(
        weight, bias, list(_pair(stride)), list(_pair(padding)), list(_pair(dilation)), groups
    )
    return torch.ops.quantized.conv2d(input, packed, scale, zero_point)


def conv3d(
    input,
    weight,
    bias,
    stride=1,
    padding=0,
    dilation=1,
    groups=1,
    padding_mode="zeros",
    scale=1.0,
    zero_point=0,
    dtype=torch.quint8,
):
    """Convolution over volumes, ``(N, C, D, H, W)``, with a quantized weight; results have `scale` and `zero_point`."""
    _check_conv(input, weight, padding_mode, dtype)
    if input.ndim != 5:
        raise ValueError("Input shape must be `(N, C, D, H, W)`!")
    packed = torch.ops.quantized.conv3d_prepack(
        weight, bias, list(_triple(stride)), list(_triple(padding)), list(_triple(dilation)), groups
    )
    return torch.ops.quantized.conv3d(input, packed, scale, zero_point)


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """Images or volumes of another size; results keep the input's scale."""
    if not input.is_quantized:
        raise ValueError("Input to 'quantized.interpolate' must be quantized!")
    return F.interpolate(input, size, scale_factor, mode, align_corners)


def linear(
    input: Tensor,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    scale: Optional[float] = None,
    zero_point: Optional[int] = None,
) -> Tensor:
    """``x Wᵀ + b`` with a quantized weight; results have the input's scale and zero point unless others are given."""
    if scale is None:
        scale = input.q_scale()
    if zero_point is None:
        zero_point = input.q_zero_point()
    packed = torch.ops.quantized.linear_prepack(weight, bias)
    return torch.ops.quantized.linear(input, packed, scale, zero_point)


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Maxima of windows of sequences; results keep the input's scale."""
    if return_indices:
        raise NotImplementedError("return_indices is not yet implemented!")
    if stride is None:
        stride = torch.jit.annotate(List[int], [])
    return torch.nn.functional.max_pool1d(
        input, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode, return_indices=return_indices
    )


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Maxima of windows of images; results keep the input's scale."""
    if return_indices:
        raise NotImplementedError("return_indices is not yet implemented!")
    if stride is None:
        stride = torch.jit.annotate(List[int], [])
    return torch.nn.functional.max_pool2d(
        input, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode, return_indices=return_indices
    )


def celu(input: Tensor, scale: float, zero_point: int, alpha: float = 1.0) -> Tensor:
    """``max(x, 0) + min(alpha · (exp(x / alpha) - 1), 0)``"""
    if not input.is_quantized:
        raise ValueError("Input to 'quantized.celu' must be quantized!")
    return torch.ops.quantized.celu(input, scale, zero_point, alpha)


def leaky_relu(
    input: Tensor,
    negative_slope: float = 0.01,
    inplace: bool = False,
    scale: Optional[float] = None,
    zero_point: Optional[int] = None,
):
    """``x`` where it is positive, ``negative_slope · x`` elsewhere; with the input's scale unless another is given."""
    if scale is not None and zero_point is not None:
        if inplace:
            raise AssertionError("Cannot rescale with `inplace`")
        output = torch.ops.quantized.leaky_relu(input, negative_slope, inplace, scale, zero_point)
    else:
        output = torch._C._nn.leaky_relu_(input, negative_slope) if inplace else torch._C._nn.leaky_relu(input, negative_slope)
    return output


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """Numbers below and above two bounds become those; results keep the input's scale."""
    if not input.is_quantized:
        raise ValueError("Input to 'quantized.hardtanh' must be quantized!")
    if inplace:
        return torch._C._nn.hardtanh_(input, min_val, max_val)
    return torch._C._nn.hardtanh(input, min_val, max_val)


def hardswish(input: Tensor, scale: float, zero_point: int) -> Tensor:
    """``x · relu6(x + 3) / 6``"""
    if not input.is_quantized:
        raise ValueError("Input to 'quantized.hardswish' must be quantized!")
    return torch.ops.quantized.hardswish(input, scale, zero_point)


def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """Numbers up to a threshold become `value`; results keep the input's scale."""
    if not input.is_quantized:
        raise ValueError("Input to 'quantized.threshold' must be quantized!")
    if threshold is None:
        raise ValueError("Input to 'threshold' must be specified!")
    if value is None:
        raise ValueError("Input to 'value' must be specified!")
    return torch._C._nn.threshold(input, threshold, value)


def elu(input: Tensor, scale: float, zero_point: int, alpha: float = 1.0) -> Tensor:
    """``x`` where it is positive, ``alpha · (exp(x) - 1)`` elsewhere."""
    if not input.is_quantized:
        raise ValueError("Input to 'quantized.elu' must be quantized!")
    return torch.ops.quantized.elu(input, scale, zero_point, alpha)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """``relu6(x + 3) / 6``"""
    if not input.is_quantized:
        raise ValueError("Input to 'quantized.hardsigmoid' must be quantized!")
    if inplace:
        return torch._C._nn.hardsigmoid_(input)
    return torch._C._nn.hardsigmoid(input)


def clamp(input: Tensor, min_: float, max_: float) -> Tensor:
    """Numbers below and above two bounds become those; results keep the input's scale."""
    if not input.is_quantized:
        raise ValueError("Input to 'quantized.clamp' must be quantized!")
    return torch.clamp(input, min_, max_)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """The old name of :func:`interpolate`."""
    warnings.warn(
        "nn.quantized.functional.upsample is deprecated. Use nn.quantized.functional.interpolate instead.", stacklevel=2
    )
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_bilinear(input, size=None, scale_factor=None):
    """The old name of :func:`interpolate` with ``bilinear`` and aligned corners."""
    warnings.warn(
        "nn.quantized.functional.upsample_bilinear is deprecated. Use nn.quantized.functional.interpolate instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def upsample_nearest(input, size=None, scale_factor=None):
    """The old name of :func:`interpolate` with ``nearest``."""
    warnings.warn(
        "nn.quantized.functional.upsample_nearest is deprecated. Use nn.quantized.functional.interpolate instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode="nearest")


publish(globals())
