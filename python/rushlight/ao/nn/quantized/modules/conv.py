"""Convolutions of quantized numbers."""

from typing import List, Optional

import rushlight as torch

from ....._library import publish
from ....._rushlight import Tensor
from .....nn import functional as F
from .....nn import Conv1d as FloatConv1d
from .....nn import Conv2d as FloatConv2d
from .....nn import Conv3d as FloatConv3d
from .....nn import ConvTranspose1d as FloatConvTranspose1d
from .....nn import ConvTranspose2d as FloatConvTranspose2d
from .....nn import ConvTranspose3d as FloatConvTranspose3d
from .....nn import Module
from .....nn.modules.utils import _pair, _single, _triple
from .....nn.utils.fusion import fuse_conv_bn_weights
from .utils import WeightedQuantizedModule, _empty_weight, _keep_bias, _quantize_weight

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

_PADDINGS = {"zeros", "reflect"}


def _reverse_repeat_padding(padding: List[int]) -> List[int]:
    """The padding as ``F.pad`` takes it: the last dimension first, both sides of each."""
    sides: List[int] = []
    for i in range(len(padding)):
        for _ in range(2):
            sides.append(padding[len(padding) - 1 - i])
    return sides


class _ConvNd(WeightedQuantizedModule):
    """What all convolutions of quantized numbers share.

    Attributes:
        scale, zero_point: of the results.
    """

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
        raise NotImplementedError

    def _init(
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
        padding_mode="zeros",
        device=None,
        dtype=None,
    ) -> None:
        super().__init__()
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        if padding_mode not in _PADDINGS:
            raise ValueError(f"'padding_mode' {padding_mode} is not supported by quantized convolution")
        self.padding_mode = padding_mode
        channels = [in_channels, out_channels // groups] if transposed else [out_channels, in_channels // groups]
        weight = _empty_weight(channels + list(kernel_size))
        self.set_weight_bias(weight, torch.zeros(out_channels, dtype=torch.float) if bias else None)
        self.scale = 1.0
        self.zero_point = 0

    def set_weight_bias(self, qweight, bias_float):
        """Replaces the quantized weight and the bias."""
        raise NotImplementedError

    def bias(self):
        """The bias, or None."""
        raise NotImplementedError

    def _weight_bias(self):
        raise NotImplementedError

    def extra_repr(self):
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"scale={self.scale}, zero_point={self.zero_point}"
        )
        for name, usual in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            value = getattr(self, name)
            if value != (usual,) * len(value):
                text += f", {name}={value}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        return text + (", bias=False" if self.bias() is None else "")

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "weight"], destination[prefix + "bias"] = self._weight_bias()
        destination[prefix + "scale"] = torch.tensor(self.scale)
        destination[prefix + "zero_point"] = torch.tensor(self.zero_point)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        self.set_weight_bias(state_dict.pop(prefix + "weight"), state_dict.pop(prefix + "bias"))
        self.scale = float(state_dict.pop(prefix + "scale"))
        self.zero_point = int(state_dict.pop(prefix + "zero_point"))
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    @torch.jit.export
    def __getstate__(self):
        weight, bias = self._weight_bias()
        return (
            self.in_channels, self.out_channels, self.kernel_size, self.stride, self.padding, self.dilation, self.transposed,
            self.output_padding, self.groups, self.padding_mode, weight, bias, self.scale, self.zero_point, self.training,
        )

    @torch.jit.export
    def __setstate__(self, state):
        if not torch.jit.is_scripting():
            Module.__init__(self)
        self.in_channels = state[0]
        self.out_channels = state[1]
        self.kernel_size = state[2]
        self.stride = state[3]
        self.padding = state[4]
        self.dilation = state[5]
        self.transposed = state[6]
        self.output_padding = state[7]
        self.groups = state[8]
        self.padding_mode = state[9]
        self.set_weight_bias(state[10], state[11])
        self.scale = state[12]
        self.zero_point = state[13]
        self.training = state[14]

    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        made.__setstate__(self.__getstate__())
        return made

    def __copy__(self):
        return self.__deepcopy__({})

    @classmethod
    def _like(cls, mod):
        """A layer of the size of a plain convolution."""
        return cls(
            mod.in_channels,
            mod.out_channels,
            mod.kernel_size,
            mod.stride,
            mod.padding,
            mod.dilation,
            mod.groups,
            mod.bias is not None,
            mod.padding_mode,
        )

    @classmethod
    def get_qconv(cls, mod, activation_post_process, weight_post_process=None):
        """The layer for the weights of `mod`, with the scale that the observer of its results found."""
        if weight_post_process is None:
            weight_post_process = mod.qconfig.weight()
        weight_post_process(mod.weight)
        if weight_post_process.dtype != torch.qint8:
            raise AssertionError("Weight observer must have a dtype of qint8")
        made = cls._like(mod)
        made.set_weight_bias(_quantize_weight(mod.weight.float(), weight_post_process), mod.bias)
        if activation_post_process is None or activation_post_process.dtype == torch.float:
            return made
        act_scale, act_zp = activation_post_process.calculate_qparams()
        made.scale, made.zero_point = float(act_scale), int(act_zp)
        return made

    @staticmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a convolution that has been observed, or trained with quantization.

        Raises:
            AssertionError: `mod` is no such convolution, or nothing has been said of its quantization.
        """
        if hasattr(mod, "weight_fake_quant"):
            if hasattr(mod, "bn"):
                bn = mod.bn
                mod.weight, mod.bias = fuse_conv_bn_weights(
                    mod.weight, mod.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
                )
            if not hasattr(mod, "activation_post_process"):
                raise AssertionError("Input QAT module must have observer attached")
            return cls.get_qconv(mod, mod.activation_post_process, mod.weight_fake_quant)
        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError(
                f"nnq.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__} but got: {type(mod).__name__}"
            )
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined.")
        observer = getattr(mod, "activation_post_process", None)
        if not hasattr(mod, "weight"):
            # A sequence that begins with the convolution.
            mod = mod[0]
        return cls.get_qconv(mod, observer, mod.qconfig.weight())

    @classmethod
    def from_reference(cls, ref_qconv, output_scale, output_zero_point):
        """The layer for one that keeps its quantized weight unpacked."""
        made = cls._like(ref_qconv)
        made.set_weight_bias(ref_qconv.get_quantized_weight(), ref_qconv.bias)
        made.scale, made.zero_point = float(output_scale), int(output_zero_point)
        return made


class Conv1d(_ConvNd):
    """Convolution over sequences, ``(N, C, L)``."""

    _FLOAT_MODULE = FloatConv1d

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
        padding = padding if isinstance(padding, str) else _single(padding)
        self._init(
            in_channels, out_channels, _single(kernel_size), _single(stride), padding, _single(dilation), False, _single(0),
            groups, bias, padding_mode,
        )

    def _get_name(self):
        return "QuantizedConv1d"

    @torch.jit.export
    def set_weight_bias(self, w: Tensor, b: Optional[Tensor]) -> None:
        """Replaces the quantized weight and the bias."""
        padding = self.padding if self.padding_mode == "zeros" else (0,)
        self._packed_params = torch.ops.quantized.conv1d_prepack(
            w, b, list(self.stride), list(padding), list(self.dilation), self.groups
        )
        if not torch.jit.is_scripting():
            _keep_bias(self._packed_params, b)

    @torch.jit.export
    def _weight_bias(self):
        w, b = torch.ops.quantized.conv1d_unpack(self._packed_params)
        return w, b

    def weight(self):
        """The quantized weight."""
        return self._weight_bias()[0]

    def bias(self):
        """The bias, or None."""
        return self._weight_bias()[1]

    def forward(self, input):
        if len(input.shape) != 3:
            raise ValueError("Input shape must be `(N, C, L)`!")
        if self.padding_mode != "zeros":
            _reversed_padding_repeated_twice = _reverse_repeat_padding(self.padding[:1])
            input = F.pad(input, _reversed_padding_repeated_twice, mode=self.padding_mode)
        return torch.ops.quantized.conv1d(input, self._packed_params, self.scale, self.zero_point)

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """See :meth:`_ConvNd.from_float`."""
        return _ConvNd.from_float(cls, mod, use_precomputed_fake_quant)


class Conv2d(_ConvNd):
    """Convolution over images, ``(N, C, H, W)``."""

    _FLOAT_MODULE = FloatConv2d

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
        self._init(
            in_channels, out_channels, _pair(kernel_size), _pair(stride), _pair(padding), _pair(dilation), False, _pair(0),
            groups, bias, padding_mode,
        )

    def _get_name(self):
        return "QuantizedConv2d"

    @torch.jit.export
    def set_weight_bias(self, w: Tensor, b: Optional[Tensor]) -> None:
        """Replaces the quantized weight and the bias."""
        padding = self.padding if self.padding_mode == "zeros" else (0, 0)
        self._packed_params = torch.ops.quantized.conv2d_prepack(
            w, b, list(self.stride), list(padding), list(self.dilation), self.groups
        )
        if not torch.jit.is_scripting():
            _keep_bias(self._packed_params, b)

    @torch.jit.export
    def _weight_bias(self):
        w, b = torch.ops.quantized.conv2d_unpack(self._packed_params)
        return w, b

    def weight(self):
        """The quantized weight."""
        return self._weight_bias()[0]

    def bias(self):
        """The bias, or None."""
        return self._weight_bias()[1]

    def forward(self, input):
        if len(input.shape) != 4:
            raise ValueError("Input shape must be `(N, C, H, W)`!")
        if self.padding_mode != "zeros":
            _reversed_padding_repeated_twice = _reverse_repeat_padding(self.padding)
            input = F.pad(input, _reversed_padding_repeated_twice, mode=self.padding_mode)
        return torch.ops.quantized.conv2d(input, self._packed_params, self.scale, self.zero_point)

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """See :meth:`_ConvNd.from_float`."""
        return _ConvNd.from_float(cls, mod, use_precomputed_fake_quant)


class Conv3d(_ConvNd):
    """Convolution over volumes, ``(N, C, D, H, W)``."""

    _FLOAT_MODULE = FloatConv3d

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
        if padding_mode == "reflect":
            raise AssertionError("Conv3d does not support reflection padding")
        self._init(
            in_channels, out_channels, _triple(kernel_size), _triple(stride), _triple(padding), _triple(dilation), False,
            _triple(0), groups, bias, padding_mode,
        )

    def _get_name(self):
        return "QuantizedConv3d"

    @torch.jit.export
    def set_weight_bias(self, w: Tensor, b: Optional[Tensor]) -> None:
        """Replaces the quantized weight and the bias."""
        padding = self.padding if self.padding_mode == "zeros" else (0, 0, 0)
        self._packed_params = torch.ops.quantized.conv3d_prepack(
            w, b, list(self.stride), list(padding), list(self.dilation), self.groups
        )
        if not torch.jit.is_scripting():
            _keep_bias(self._packed_params, b)

    @torch.jit.export
    def _weight_bias(self):
        w, b = torch.ops.quantized.conv3d_unpack(self._packed_params)
        return w, b

    def weight(self):
        """The quantized weight."""
        return self._weight_bias()[0]

    def bias(self):
        """The bias, or None."""
        return self._weight_bias()[1]

    def forward(self, input):
        if len(input.shape) != 5:
            raise ValueError("Input shape must be `(N, C, D, H, W)`!")
        if self.padding_mode != "zeros":
            _reversed_padding_repeated_twice = _reverse_repeat_padding(self.padding)
            input = F.pad(input, _reversed_padding_repeated_twice, mode=self.padding_mode)
        return torch.ops.quantized.conv3d(input, self._packed_params, self.scale, self.zero_point)

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """See :meth:`_ConvNd.from_float`."""
        return _ConvNd.from_float(cls, mod, use_precomputed_fake_quant)


class _ConvTransposeNd(_ConvNd):
    """What transposed convolutions of quantized numbers share."""

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
        self._init(
            in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups, bias,
            padding_mode,
        )

    def _input_padding(self, kernel_size: List[int], dilation: List[int], padding: List[int]) -> List[int]:
        """The padding of the convolution that this one is the transpose of."""
        return [d * (k - 1) - p for k, d, p in zip(kernel_size, dilation, padding)]

    @classmethod
    def _like(cls, mod):
        return cls(
            mod.in_channels,
            mod.out_channels,
            mod.kernel_size,
            mod.stride,
            mod.padding,
            mod.output_padding,
            mod.groups,
            mod.bias is not None,
            mod.dilation,
            mod.padding_mode,
        )

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a transposed convolution that has been observed.

        Raises:
            AssertionError: `mod` is no such convolution, or nothing has been said of its quantization.
        """
        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError(
                f" nnq.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}"
            )
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined.")
        return cls.get_qconv(mod, getattr(mod, "activation_post_process", None))


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution over sequences, ``(N, C, L)``."""

    _FLOAT_MODULE = FloatConvTranspose1d

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
            _single(output_padding), groups, bias, padding_mode,
        )

    def _get_name(self):
        return "QuantizedConvTranspose1d"

    @torch.jit.export
    def set_weight_bias(self, w: Tensor, b: Optional[Tensor]) -> None:
        """Replaces the quantized weight and the bias."""
        self._packed_params = torch.ops.quantized.conv_transpose1d_prepack(
            w, b, list(self.stride), list(self.padding), list(self.output_padding), list(self.dilation), self.groups
        )
        if not torch.jit.is_scripting():
            _keep_bias(self._packed_params, b)

    @torch.jit.export
    def _weight_bias(self):
        w, b = torch.ops.quantized.conv_transpose1d_unpack(self._packed_params)
        return w, b

    def weight(self):
        """The quantized weight."""
        return self._weight_bias()[0]

    def bias(self):
        """The bias, or None."""
        return self._weight_bias()[1]

    def forward(self, input):
        if len(input.shape) != 3:
            raise ValueError("Input shape must be `(N, C, L)`!")
        return torch.ops.quantized.conv_transpose1d(input, self._packed_params, self.scale, self.zero_point)


class ConvTranspose2d(_ConvTransposeNd):
    """Transposed convolution over images, ``(N, C, H, W)``."""

    _FLOAT_MODULE = FloatConvTranspose2d

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
            _pair(output_padding), groups, bias, padding_mode,
        )

    def _get_name(self):
        return "QuantizedConvTranspose2d"

    @torch.jit.export
    def set_weight_bias(self, w: Tensor, b: Optional[Tensor]) -> None:
        """Replaces the quantized weight and the bias."""
        self._packed_params = torch.ops.quantized.conv_transpose2d_prepack(
            w, b, list(self.stride), list(self.padding), list(self.output_padding), list(self.dilation), self.groups
        )
        if not torch.jit.is_scripting():
            _keep_bias(self._packed_params, b)

    @torch.jit.export
    def _weight_bias(self):
        w, b = torch.ops.quantized.conv2d_unpack(self._packed_params)
        return w, b

    def weight(self):
        """The quantized weight."""
        return self._weight_bias()[0]

    def bias(self):
        """The bias, or None."""
        return self._weight_bias()[1]

    def forward(self, input):
        if len(input.shape) != 4:
            raise ValueError("Input shape must be `(N, C, H, W)`!")
        return torch.ops.quantized.conv_transpose2d(input, self._packed_params, self.scale, self.zero_point)


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution over volumes, ``(N, C, T, H, W)``."""

    _FLOAT_MODULE = FloatConvTranspose3d

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
            _triple(output_padding), groups, bias, padding_mode,
        )

    def _get_name(self):
        return "QuantizedConvTranspose3d"

    @torch.jit.export
    def set_weight_bias(self, w: Tensor, b: Optional[Tensor]) -> None:
        """Replaces the quantized weight and the bias."""
        self._packed_params = torch.ops.quantized.conv_transpose3d_prepack(
            w, b, list(self.stride), list(self.padding), list(self.output_padding), list(self.dilation), self.groups
        )
        if not torch.jit.is_scripting():
            _keep_bias(self._packed_params, b)

    @torch.jit.export
    def _weight_bias(self):
        w, b = torch.ops.quantized.conv3d_unpack(self._packed_params)
        return w, b

    def weight(self):
        """The quantized weight."""
        return self._weight_bias()[0]

    def bias(self):
        """The bias, or None."""
        return self._weight_bias()[1]

    def forward(self, input):
        if len(input.shape) != 5:
            raise ValueError("Input shape must be `(N, C, T, H, W)`!")
        return torch.ops.quantized.conv_transpose3d(input, self._packed_params, self.scale, self.zero_point)


publish(globals())
