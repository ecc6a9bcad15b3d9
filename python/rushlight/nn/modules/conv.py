"""Convolutions and transposed convolutions."""

import inspect
import math
import warnings
from typing import List, Optional, Tuple

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .lazy import Lazy, own_method
from .module import Module
from .utils import _pair, _reverse_repeat_tuple, _single, _triple

LAZY = ("LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d")
__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", *LAZY]

_PADDINGS = ("same", "valid")
_MODES = {"zeros", "reflect", "replicate", "circular"}


def _check_channels(in_channels, out_channels, groups):
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
        if channels % groups != 0:
            raise ValueError(f"{name} must be divisible by groups")


def _one_of(words):
    """Words as messages list them."""
    return "{" + ", ".join(repr(word) for word in words) + "}"


def _check_padding(padding, stride, mode):
    if isinstance(padding, str):
        if padding not in _PADDINGS:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {_one_of(_PADDINGS)}")
        if padding == "same" and set(stride) != {1}:
            raise ValueError("padding='same' is not supported for strided convolutions")
    if mode not in _MODES:
        raise ValueError(f"padding_mode must be one of {_MODES}, but got padding_mode='{mode}'")


def _explicit_padding(padding, kernel_size, dilation):
    """The padding as ``F.pad`` takes it: the last dimension first, both sides of each."""
    if not isinstance(padding, str):
        return list(_reverse_repeat_tuple(padding, 2))
    sides = []
    for d, k in zip(reversed(dilation), reversed(kernel_size)):
        # The same size comes out where all that the kernel takes away is put around; the odd one goes to the end.
        lost = d * (k - 1) if padding == "same" else 0
        sides += [lost // 2, lost - lost // 2]
    return sides


class _ConvNd(Module):
    """What all convolutions share: sizes, weights and their initial values."""

    __constants__ = [
        "stride", "padding", "dilation", "groups", "padding_mode", "output_padding", "in_channels", "out_channels",
        "kernel_size",
    ]
    in_channels: int
    _reversed_padding_repeated_twice: List[int]
    out_channels: int
    kernel_size: Tuple[int, ...]
    stride: Tuple[int, ...]
    dilation: Tuple[int, ...]
    transposed: bool
    output_padding: Tuple[int, ...]
    groups: int
    padding_mode: str
    weight: Tensor
    bias: Optional[Tensor]

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        bias,
        padding_mode,
        device=None,
        dtype=None,
    ):
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        _check_channels(in_channels, out_channels, groups)
        _check_padding(padding, stride, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = _explicit_padding(padding, kernel_size, dilation)
        if transposed:
            shape = (in_channels, out_channels // groups, *kernel_size)
        else:
            shape = (out_channels, in_channels // groups, *kernel_size)
        self.weight = Parameter(torch.empty(shape, **factory))
        if bias:
            self.bias = Parameter(torch.empty(out_channels, **factory))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draws the initial weights."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self):
        # Each with the value that goes without saying.
        options = {
            "padding": (self.padding, (0,) * len(self.padding)),
            "dilation": (self.dilation, (1,) * len(self.dilation)),
            "output_padding": (self.output_padding, (0,) * len(self.output_padding)),
            "groups": (self.groups, 1),
            "bias": (self.bias is not None, True),
            "padding_mode": (self.padding_mode, "zeros"),
        }
        shown = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        shown += [f"{name}={value}" for name, (value, usual) in options.items() if value != usual]
        return ", ".join(shown)


def _sized(kind, padding, *sizes):
    """Sizes for each dimension; padding may be a word."""
    return (*(kind(s) for s in sizes), padding if isinstance(padding, str) else kind(padding))


class Conv1d(_ConvNd):
    """Convolution of sequences."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        kernel_size, stride, dilation, padding = _sized(_single, padding, kernel_size, stride, dilation)
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, False, _single(0), groups, bias,
            padding_mode, device, dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Optional[Tensor]):
        if self.padding_mode == "zeros":
            return F.conv1d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
        return F.conv1d(
            F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode), weight, bias, self.stride, 0, self.dilation,
            self.groups,
        )

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv2d(_ConvNd):
    """Convolution of images."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        kernel_size, stride, dilation, padding = _sized(_pair, padding, kernel_size, stride, dilation)
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, False, _pair(0), groups, bias,
            padding_mode, device, dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Optional[Tensor]):
        if self.padding_mode == "zeros":
            return F.conv2d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
        return F.conv2d(
            F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode), weight, bias, self.stride, 0, self.dilation,
            self.groups,
        )

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv3d(_ConvNd):
    """Convolution of volumes."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        kernel_size, stride, dilation, padding = _sized(_triple, padding, kernel_size, stride, dilation)
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, False, _triple(0), groups, bias,
            padding_mode, device, dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Optional[Tensor]):
        if self.padding_mode == "zeros":
            return F.conv3d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
        return F.conv3d(
            F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode), weight, bias, self.stride, 0, self.dilation,
            self.groups,
        )

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class _ConvTransposeNd(_ConvNd):
    """What transposed convolutions share: several output sizes belong to one input size."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        bias,
        padding_mode,
        device=None,
        dtype=None,
    ):
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups, bias,
            padding_mode, device, dtype,
        )

    def _output_padding(
        self,
        input: Tensor,
        output_size: Optional[List[int]],
        stride: List[int],
        padding: List[int],
        kernel_size: List[int],
        num_spatial_dims: int,
        dilation: Optional[List[int]] = None,
    ) -> List[int]:
        """What to add to the smallest output, dimension by dimension, for an output of the size asked for."""
        if output_size is None:
            return self.output_padding
        n = num_spatial_dims
        leading = input.dim() - n if input.dim() == n + 2 else 1
        if len(output_size) == n + leading:
            output_size = output_size[leading:]
        if len(output_size) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have "
                f"{n} or {leading + n} elements (got {len(output_size)})"
            )
        smallest: List[int] = []
        largest: List[int] = []
        for d in range(n):
            spread = dilation[d] if dilation is not None else 1
            grown = (input.size(leading + d) - 1) * stride[d] - 2 * padding[d]
            smallest.append(grown + spread * (kernel_size[d] - 1) + 1)
            largest.append(smallest[d] + stride[d] - 1)
        for size, low, high in zip(output_size, smallest, largest):
            if not low <= size <= high:
                raise ValueError(
                    f"requested an output size of {output_size}, but valid sizes range "
                    f"from {smallest} to {largest} (for an input of {input.size()[2:]})"
                )
        return [size - low for size, low in zip(output_size, smallest)]


class _ConvTransposeMixin(_ConvTransposeNd):
    """The older name of what transposed convolutions share."""

    def __init__(self, *args, **kwargs):
        warnings.warn("`_ConvTransposeMixin` is a deprecated internal class. Please consider using public APIs.", FutureWarning, stacklevel=2)
        super().__init__(*args, **kwargs)


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution of sequences."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__(
            in_channels, out_channels, _single(kernel_size), _single(stride), _single(padding), _single(dilation), True,
            _single(output_padding), groups, bias, padding_mode, device, dtype,
        )

    def forward(self, input: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
        num_spatial_dims = 1
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, num_spatial_dims, self.dilation
        )
        return F.conv_transpose1d(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation
        )


class ConvTranspose2d(_ConvTransposeNd):
    """Transposed convolution of images."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__(
            in_channels, out_channels, _pair(kernel_size), _pair(stride), _pair(padding), _pair(dilation), True,
            _pair(output_padding), groups, bias, padding_mode, device, dtype,
        )

    def forward(self, input: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
        """The layer's result."""
        num_spatial_dims = 2
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, num_spatial_dims, self.dilation
        )
        return F.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation
        )


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution of volumes."""

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__(
            in_channels, out_channels, _triple(kernel_size), _triple(stride), _triple(padding), _triple(dilation), True,
            _triple(output_padding), groups, bias, padding_mode, device, dtype,
        )

    def forward(self, input: Tensor, output_size: Optional[List[int]] = None) -> Tensor:
        num_spatial_dims = 3
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, num_spatial_dims, self.dilation
        )
        return F.conv_transpose3d(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation
        )


class _LazyConvXdMixin(Lazy):
    """A convolution that takes the number of its input channels from the first input."""

    _size = "in_channels"

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        # Taken as the class behind is, but for the channels that the first input says.
        whole = inspect.signature(cls.cls_to_become)
        cls.__signature__ = whole.replace(parameters=[p for name, p in whole.parameters.items() if name != "in_channels"])
        own_method(cls, "__init__")

    def __init__(self, out_channels, kernel_size, *args, **kwargs):
        super().__init__(out_channels, kernel_size, *args, **kwargs)

    def _size_of(self, input):
        spatial = len(self.kernel_size)
        if input.dim() not in (spatial + 1, spatial + 2):
            raise RuntimeError(
                f"Expected {spatial + 1}D (unbatched) or {spatial + 2}D (batched) input to {type(self).__name__}, but got "
                f"input of size: {input.shape}"
            )
        return input.shape[-spatial - 1]

    def _shapes(self, size):
        _check_channels(size, self.out_channels, self.groups)
        first, second = (size, self.out_channels) if self.transposed else (self.out_channels, size)
        return {"weight": (first, second // self.groups, *self.kernel_size), "bias": (self.out_channels,)}


class LazyConv1d(_LazyConvXdMixin, Conv1d):
    """A lazy ``Conv1d``."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConvXdMixin, Conv2d):
    """A lazy ``Conv2d``."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConvXdMixin, Conv3d):
    """A lazy ``Conv3d``."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvXdMixin, ConvTranspose1d):
    """A lazy ``ConvTranspose1d``."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvXdMixin, ConvTranspose2d):
    """A lazy ``ConvTranspose2d``."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvXdMixin, ConvTranspose3d):
    """A lazy ``ConvTranspose3d``."""

    cls_to_become = ConvTranspose3d


publish(globals())
