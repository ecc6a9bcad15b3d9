"""Convolutions that train with rounded weights."""

from ....._library import publish
from .....nn import Conv1d as PlainConv1d
from .....nn import Conv2d as PlainConv2d
from .....nn import Conv3d as PlainConv3d
from .....nn.modules.conv import _ConvNd as _PlainConvNd
from .....nn.modules.utils import _pair, _single, _triple
from .linear import _detached

__all__ = ["Conv1d", "Conv2d", "Conv3d"]


class _ConvNd(_PlainConvNd):
    """What all of them share: the weight passes through ``weight_fake_quant``.

    Raises:
        AssertionError: there is no configuration.
    """

    _FLOAT_MODULE = _PlainConvNd

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
        qconfig=None,
        device=None,
        dtype=None,
    ) -> None:
        _PlainConvNd.__init__(
            self, in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups,
            bias, padding_mode, device=device, dtype=dtype,
        )
        if not qconfig:
            raise AssertionError("qconfig must be provided for QAT module")
        self.qconfig = qconfig
        self.weight_fake_quant = qconfig.weight()

    def forward(self, input):
        return self._conv_forward(input, self.weight_fake_quant(self.weight), self.bias)

    @staticmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a plain convolution, whose parameters it takes.

        Raises:
            AssertionError: `mod` is of another class, or has no configuration.
        """
        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError(
                f"qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}, got {type(mod).__name__}"
            )
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        if not mod.qconfig:
            raise AssertionError("Input float module must have a valid qconfig")
        if not hasattr(mod, "weight"):
            # A sequence that begins with the convolution.
            mod = mod[0]
        made = cls(
            mod.in_channels,
            mod.out_channels,
            mod.kernel_size,
            stride=mod.stride,
            padding=mod.padding,
            dilation=mod.dilation,
            groups=mod.groups,
            bias=mod.bias is not None,
            padding_mode=mod.padding_mode,
            qconfig=mod.qconfig,
        )
        made.weight = mod.weight
        made.bias = mod.bias
        return made

    def to_float(self):
        """A plain convolution with the same parameters; with a ReLU where this one has it."""
        cls = type(self)
        conv = cls._FLOAT_CONV_MODULE(
            self.in_channels,
            self.out_channels,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.groups,
            self.bias is not None,
            self.padding_mode,
        )
        conv.weight = _detached(self.weight)
        if self.bias is not None:
            conv.bias = _detached(self.bias)
        relu = getattr(cls, "_FLOAT_RELU_MODULE", None)
        if relu is None:
            return conv
        made = cls._FLOAT_MODULE(conv, relu())
        made.train(self.training)
        return made


class Conv1d(_ConvNd, PlainConv1d):
    """Convolution over sequences, ``(N, C, L)``."""

    _FLOAT_MODULE = PlainConv1d
    _FLOAT_CONV_MODULE = PlainConv1d

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
        qconfig=None,
        device=None,
        dtype=None,
    ) -> None:
        padding = padding if isinstance(padding, str) else _single(padding)
        _ConvNd.__init__(
            self, in_channels, out_channels, _single(kernel_size), _single(stride), padding, _single(dilation), False,
            _single(0), groups, bias, padding_mode, qconfig, device, dtype,
        )

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """See :meth:`_ConvNd.from_float`."""
        return _ConvNd.from_float(cls, mod, use_precomputed_fake_quant)


class Conv2d(_ConvNd, PlainConv2d):
    """Convolution over images, ``(N, C, H, W)``."""

    _FLOAT_MODULE = PlainConv2d
    _FLOAT_CONV_MODULE = PlainConv2d

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
        qconfig=None,
        device=None,
        dtype=None,
    ) -> None:
        padding = padding if isinstance(padding, str) else _pair(padding)
        _ConvNd.__init__(
            self, in_channels, out_channels, _pair(kernel_size), _pair(stride), padding, _pair(dilation), False, _pair(0),
            groups, bias, padding_mode, qconfig, device, dtype,
        )

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """See :meth:`_ConvNd.from_float`."""
        return _ConvNd.from_float(cls, mod, use_precomputed_fake_quant)


class Conv3d(_ConvNd, PlainConv3d):
    """Convolution over volumes, ``(N, C, D, H, W)``."""

    _FLOAT_MODULE = PlainConv3d
    _FLOAT_CONV_MODULE = PlainConv3d

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
        qconfig=None,
        device=None,
        dtype=None,
    ) -> None:
        padding = padding if isinstance(padding, str) else _triple(padding)
        _ConvNd.__init__(
            self, in_channels, out_channels, _triple(kernel_size), _triple(stride), padding, _triple(dilation), False,
            _triple(0), groups, bias, padding_mode, qconfig, device, dtype,
        )

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """See :meth:`_ConvNd.from_float`."""
        return _ConvNd.from_float(cls, mod, use_precomputed_fake_quant)


publish(globals())
