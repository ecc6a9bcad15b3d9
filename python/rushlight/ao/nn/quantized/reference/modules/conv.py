"""Convolutions with a quantized weight."""

import rushlight as torch

from ......_library import publish
from ......_rushlight import Tensor
from .utils import ReferenceQuantizedModule

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]


def _with_parameters(made, plain):
    """A layer with the parameters of a plain one."""
    made.weight = torch.nn.Parameter(plain.weight.detach())
    if plain.bias is not None:
        made.bias = torch.nn.Parameter(plain.bias.detach())
    return made


class _ConvNd(torch.nn.modules.conv._ConvNd, ReferenceQuantizedModule):
    """What all of them share: a weight that knows how it is quantized (`weight_qparams`)."""

    _IS_REFERENCE = True

    def _get_name(self):
        return f"Quantized{type(self).__name__}(Reference)"

    @classmethod
    def from_float(cls, float_conv, weight_qparams):
        """The layer for a plain one."""
        made = cls(
            float_conv.in_channels, float_conv.out_channels, float_conv.kernel_size, float_conv.stride, float_conv.padding,
            float_conv.dilation, float_conv.groups, float_conv.bias is not None, float_conv.padding_mode,
            weight_qparams=weight_qparams,
        )
        return _with_parameters(made, float_conv)


class _ConvTransposeNd(_ConvNd):
    """What transposed convolutions share besides."""

    @classmethod
    def from_float(cls, float_conv, weight_qparams):
        """The layer for a plain one."""
        made = cls(
            float_conv.in_channels, float_conv.out_channels, float_conv.kernel_size, float_conv.stride, float_conv.padding,
            float_conv.output_padding, float_conv.groups, float_conv.bias is not None, float_conv.dilation,
            float_conv.padding_mode, weight_qparams=weight_qparams,
        )
        return _with_parameters(made, float_conv)

    def _transposed(self, function, input, output_size):
        """The result of the function, with its padding for a size of results."""
        dims = len(self.kernel_size)
        output_padding = self._output_padding(
            input, output_size, list(self.stride), list(self.padding), list(self.kernel_size), dims, list(self.dilation)
        )
        return function(
            input, self.get_weight(), self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation
        )


class Conv1d(_ConvNd, torch.nn.Conv1d):
    """Convolution over sequences of plain numbers."""

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros", device=None, dtype=None, weight_qparams=None,
    ):
        torch.nn.Conv1d.__init__(
            self, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )
        self._init_weight_qparams(weight_qparams, device)

    def forward(self, x: Tensor) -> Tensor:
        return self._conv_forward(x, self.get_weight(), self.bias)


class Conv2d(_ConvNd, torch.nn.Conv2d):
    """Convolution over images of plain numbers."""

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros", device=None, dtype=None, weight_qparams=None,
    ):
        torch.nn.Conv2d.__init__(
            self, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )
        self._init_weight_qparams(weight_qparams, device)

    def forward(self, x: Tensor) -> Tensor:
        return self._conv_forward(x, self.get_weight(), self.bias)


class Conv3d(_ConvNd, torch.nn.Conv3d):
    """Convolution over volumes of plain numbers."""

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
        padding_mode="zeros", device=None, dtype=None, weight_qparams=None,
    ):
        torch.nn.Conv3d.__init__(
            self, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )
        self._init_weight_qparams(weight_qparams, device)

    def forward(self, x: Tensor) -> Tensor:
        return self._conv_forward(x, self.get_weight(), self.bias)


class ConvTranspose1d(_ConvTransposeNd, torch.nn.ConvTranspose1d):
    """Transposed convolution over sequences of plain numbers."""

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
        dilation=1, padding_mode="zeros", device=None, dtype=None, weight_qparams=None,
    ):
        torch.nn.ConvTranspose1d.__init__(
            self, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation,
            padding_mode, device, dtype,
        )
        self._init_weight_qparams(weight_qparams, device)

    def forward(self, x: Tensor, output_size=None) -> Tensor:
        return self._transposed(torch.nn.functional.conv_transpose1d, x, output_size)


class ConvTranspose2d(_ConvTransposeNd, torch.nn.ConvTranspose2d):
    """Transposed convolution over images of plain numbers."""

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
        dilation=1, padding_mode="zeros", device=None, dtype=None, weight_qparams=None,
    ):
        torch.nn.ConvTranspose2d.__init__(
            self, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation,
            padding_mode, device, dtype,
        )
        self._init_weight_qparams(weight_qparams, device)

    def forward(self, x: Tensor, output_size=None) -> Tensor:
        return self._transposed(torch.nn.functional.conv_transpose2d, x, output_size)


class ConvTranspose3d(_ConvTransposeNd, torch.nn.ConvTranspose3d):
    """Transposed convolution over volumes of plain numbers."""

    def __init__(
        self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
        dilation=1, padding_mode="zeros", device=None, dtype=None, weight_qparams=None,
    ):
        torch.nn.ConvTranspose3d.__init__(
            self, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation,
            padding_mode, device, dtype,
        )
        self._init_weight_qparams(weight_qparams, device)

    def forward(self, x: Tensor, output_size=None) -> Tensor:
        return self._transposed(torch.nn.functional.conv_transpose3d, x, output_size)


publish(globals())
