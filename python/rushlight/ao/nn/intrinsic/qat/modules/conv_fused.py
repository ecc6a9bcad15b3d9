"""Convolutions with what follows them, trained with the weight rounded that they have together."""

import rushlight as torch

from ......_library import publish
from ......nn import BatchNorm1d, BatchNorm2d, BatchNorm3d, Parameter, ReLU
from ......nn import Conv1d as PlainConv1d
from ......nn import Conv2d as PlainConv2d
from ......nn import Conv3d as PlainConv3d
from ......nn import functional as F
from ......nn import init
from ......nn.modules.conv import _ConvNd as _PlainConvNd
from ......nn.modules.utils import _pair, _single, _triple
from ......nn.utils.fusion import fuse_conv_bn_weights
from ....qat.modules import conv as qat
from ...modules import fused

__all__ = [
    "ConvBn1d", "ConvBnReLU1d", "ConvReLU1d", "ConvBn2d", "ConvBnReLU2d", "ConvReLU2d", "ConvBn3d", "ConvBnReLU3d",
    "ConvReLU3d", "update_bn_stats", "freeze_bn_stats",
]

_NORMS = {1: BatchNorm1d, 2: BatchNorm2d, 3: BatchNorm3d}


class _ConvBnNd(_PlainConvNd, fused._FusedModule):
    """A convolution and a batch normalization as one.

    Raises:
        AssertionError: there is no configuration.
    """

    _version = 2
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
        eps=1e-05,
        momentum=0.1,
        freeze_bn=False,
        qconfig=None,
        dim=2,
    ):
        _PlainConvNd.__init__(
            self, in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding, groups,
            False, padding_mode,
        )
        if not qconfig:
            raise AssertionError("qconfig must be provided for QAT module")
        self.qconfig = qconfig
        self.freeze_bn = freeze_bn if self.training else True
        self.bn = _NORMS[dim](out_channels, eps, momentum, True, True)
        self.weight_fake_quant = self.qconfig.weight()
        if bias:
            self.bias = Parameter(torch.empty(out_channels))
        else:
            self.register_parameter("bias", None)
        self.reset_bn_parameters()
        if self.training:
            if freeze_bn:
                self.freeze_bn_stats()
            else:
                self.update_bn_stats()
        else:
            self.freeze_bn_stats()
        self._enable_slow_path_for_better_numerical_stability = False

    def reset_running_stats(self):
        """Forgets the running statistics."""
        self.bn.reset_running_stats()

    def reset_bn_parameters(self):
        """Draws the initial weights of the normalization, and the bias."""
        self.bn.reset_running_stats()
        init.uniform_(self.bn.weight)
        init.zeros_(self.bn.bias)
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / fan_in**0.5
            init.uniform_(self.bias, -bound, bound)

    def update_bn_stats(self):
        """Lets running statistics follow the batches."""
        self.freeze_bn = False
        self.bn.training = True
        return self

    def freeze_bn_stats(self):
        """Keeps running statistics as they are, and normalizes by them."""
        self.freeze_bn = True
        self.bn.training = False
        return self

    def _forward(self, input):
        if self._enable_slow_path_for_better_numerical_stability:
            return self._forward_slow(input)
        return self._forward_approximate(input)

    def _forward_approximate(self, input):
        """Rounds the weight as both layers have it together by the running statistics, and takes their scale away again."""
        if self.bn.running_var is None:
            raise AssertionError("bn.running_var must not be None")
        factor = self.bn.weight / torch.sqrt(self.bn.running_var + self.bn.eps)
        weight_shape = [-1] + [1] * (self.weight.dim() - 1)
        bias_shape = [1, -1] + [1] * (self.weight.dim() - 2)
        scaled = self.weight_fake_quant(self.weight * factor.reshape(weight_shape))
        if self.bias is not None:
            zero_bias = torch.zeros_like(self.bias, dtype=input.dtype)
        else:
            zero_bias = torch.zeros(self.out_channels, dtype=input.dtype)
        out = self._conv_forward(input, scaled, zero_bias) / factor.reshape(bias_shape)
        if self.bias is not None:
            out = out + self.bias.reshape(bias_shape)
        return self.bn(out)

    def _forward_slow(self, input):
        """Rounds the weight as both layers have it together by the statistics of the batch."""
        if self.bn.running_var is None or self.bn.running_mean is None:
            raise AssertionError("running statistics of bn must not be None")
        zero_bias = torch.zeros(self.out_channels, dtype=input.dtype)
        weight_shape = [-1] + [1] * (self.weight.dim() - 1)
        bias_shape = [1, -1] + [1] * (self.weight.dim() - 2)
        if self.bn.training:
            plain = self._conv_forward(input, self.weight, zero_bias)
            with torch.no_grad():
                self.bn(plain if self.bias is None else plain + self.bias.reshape(bias_shape))
        running_std = torch.sqrt(self.bn.running_var + self.bn.eps)
        factor = self.bn.weight / running_std
        out = self._conv_forward(input, self.weight_fake_quant(self.weight * factor.reshape(weight_shape)), zero_bias)
        if not self.bn.training:
            mean = self.bn.running_mean if self.bias is None else self.bn.running_mean - self.bias
            return out + (self.bn.bias - self.bn.weight * mean / running_std).reshape(bias_shape)
        dims = [i for i in range(plain.dim()) if i != 1]
        mean = plain.mean(dims)
        deviation = torch.sqrt(plain.var(dims, unbiased=False) + self.bn.eps)
        # From the scale of the running statistics to that of the batch.
        out = out * (running_std / deviation).reshape(bias_shape)
        return out + (self.bn.bias - self.bn.weight * mean / deviation).reshape(bias_shape)

    def forward(self, input):
        return self._forward(input)

    def train(self, mode=True):
        """As modules do; frozen statistics stay frozen."""
        self.training = mode
        if not self.freeze_bn:
            for module in self.children():
                module.train(mode)
        return self

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        version = local_metadata.get("version", None)
        if version is None or version == 1:
            # The first version kept the normalization's tensors itself.
            old = {"bn.weight": "gamma", "bn.bias": "beta"}
            old.update({f"bn.{name}": name for name in ("running_mean", "running_var", "num_batches_tracked")})
            for new, name in old.items():
                if prefix + name in state_dict:
                    state_dict[prefix + new] = state_dict.pop(prefix + name)
                elif prefix + new not in state_dict and strict:
                    missing_keys.append(prefix + new)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a plain convolution and batch normalization, whose parameters it takes.

        Raises:
            AssertionError: `mod` is of another class, or has no configuration.
        """
        if type(mod) is not cls._FLOAT_MODULE:
            raise AssertionError("qat." + cls.__name__ + ".from_float only works for " + cls._FLOAT_MODULE.__name__)
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        if not mod.qconfig:
            raise AssertionError("Input float module must have a valid qconfig")
        conv, bn = mod[0], mod[1]
        made = cls(
            conv.in_channels,
            conv.out_channels,
            conv.kernel_size,
            conv.stride,
            conv.padding,
            conv.dilation,
            conv.groups,
            conv.bias is not None,
            conv.padding_mode,
            bn.eps,
            bn.momentum,
            False,
            mod.qconfig,
        )
        made.weight, made.bias = conv.weight, conv.bias
        for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"):
            setattr(made.bn, name, getattr(bn, name))
        return made

    def to_float(self):
        """A plain convolution that does what both layers do; with a ReLU where this one has it."""
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
        conv.weight = Parameter(self.weight.detach())
        if self.bias is not None:
            conv.bias = Parameter(self.bias.detach())
        bn = self.bn
        conv.weight, conv.bias = fuse_conv_bn_weights(
            conv.weight, conv.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
        )
        if cls._FLOAT_RELU_MODULE is None:
            conv.train(self.training)
            return conv
        made = cls._FUSED_FLOAT_MODULE(conv, cls._FLOAT_RELU_MODULE())
        made.train(self.training)
        return made


class ConvBn1d(_ConvBnNd, PlainConv1d):
    """A convolution over sequences and a batch normalization as one."""

    _FLOAT_BN_MODULE = BatchNorm1d
    _FLOAT_RELU_MODULE = None
    _FLOAT_MODULE = fused.ConvBn1d
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
        bias=None,
        padding_mode="zeros",
        eps=1e-05,
        momentum=0.1,
        freeze_bn=False,
        qconfig=None,
    ):
        padding = padding if isinstance(padding, str) else _single(padding)
        _ConvBnNd.__init__(
            self, in_channels, out_channels, _single(kernel_size), _single(stride), padding, _single(dilation), False, _single(0),
            groups, bias, padding_mode, eps, momentum, freeze_bn, qconfig, dim=1,
        )


class ConvBnReLU1d(ConvBn1d):
    """A convolution over sequences, a batch normalization and a ReLU as one."""

    _FLOAT_MODULE = fused.ConvBnReLU1d
    _FLOAT_RELU_MODULE = ReLU
    _FUSED_FLOAT_MODULE = fused.ConvReLU1d

    def forward(self, input):
        return F.relu(self._forward(input))


class ConvReLU1d(qat.Conv1d, fused._FusedModule):
    """A convolution over sequences and a ReLU as one."""

    _FLOAT_MODULE = fused.ConvReLU1d
    _FLOAT_CONV_MODULE = PlainConv1d
    _FLOAT_BN_MODULE = None
    _FLOAT_RELU_MODULE = ReLU

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
    ):
        super().__init__(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding, dilation=dilation, groups=groups,
            bias=bias, padding_mode=padding_mode, qconfig=qconfig,
        )

    def forward(self, input):
        return F.relu(self._conv_forward(input, self.weight_fake_quant(self.weight), self.bias))


class ConvBn2d(_ConvBnNd, PlainConv2d):
    """A convolution over images and a batch normalization as one."""

    _FLOAT_BN_MODULE = BatchNorm2d
    _FLOAT_RELU_MODULE = None
    _FLOAT_MODULE = fused.ConvBn2d
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
        bias=None,
        padding_mode="zeros",
        eps=1e-05,
        momentum=0.1,
        freeze_bn=False,
        qconfig=None,
    ):
        padding = padding if isinstance(padding, str) else _pair(padding)
        _ConvBnNd.__init__(
            self, in_channels, out_channels, _pair(kernel_size), _pair(stride), padding, _pair(dilation), False, _pair(0),
            groups, bias, padding_mode, eps, momentum, freeze_bn, qconfig, dim=2,
        )


class ConvBnReLU2d(ConvBn2d):
    """A convolution over images, a batch normalization and a ReLU as one."""

    _FLOAT_MODULE = fused.ConvBnReLU2d
    _FLOAT_RELU_MODULE = ReLU
    _FUSED_FLOAT_MODULE = fused.ConvReLU2d

    def forward(self, input):
        return F.relu(self._forward(input))


class ConvReLU2d(qat.Conv2d, fused._FusedModule):
    """A convolution over images and a ReLU as one."""

    _FLOAT_MODULE = fused.ConvReLU2d
    _FLOAT_CONV_MODULE = PlainConv2d
    _FLOAT_BN_MODULE = None
    _FLOAT_RELU_MODULE = ReLU

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
    ):
        super().__init__(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding, dilation=dilation, groups=groups,
            bias=bias, padding_mode=padding_mode, qconfig=qconfig,
        )

    def forward(self, input):
        return F.relu(self._conv_forward(input, self.weight_fake_quant(self.weight), self.bias))


class ConvBn3d(_ConvBnNd, PlainConv3d):
    """A convolution over volumes and a batch normalization as one."""

    _FLOAT_BN_MODULE = BatchNorm3d
    _FLOAT_RELU_MODULE = None
    _FLOAT_MODULE = fused.ConvBn3d
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
        bias=None,
        padding_mode="zeros",
        eps=1e-05,
        momentum=0.1,
        freeze_bn=False,
        qconfig=None,
    ):
        padding = padding if isinstance(padding, str) else _triple(padding)
        _ConvBnNd.__init__(
            self, in_channels, out_channels, _triple(kernel_size), _triple(stride), padding, _triple(dilation), False, _triple(0),
            groups, bias, padding_mode, eps, momentum, freeze_bn, qconfig, dim=3,
        )


class ConvBnReLU3d(ConvBn3d):
    """A convolution over volumes, a batch normalization and a ReLU as one."""

    _FLOAT_MODULE = fused.ConvBnReLU3d
    _FLOAT_RELU_MODULE = ReLU
    _FUSED_FLOAT_MODULE = fused.ConvReLU3d

    def forward(self, input):
        return F.relu(self._forward(input))


class ConvReLU3d(qat.Conv3d, fused._FusedModule):
    """A convolution over volumes and a ReLU as one."""

    _FLOAT_MODULE = fused.ConvReLU3d
    _FLOAT_CONV_MODULE = PlainConv3d
    _FLOAT_BN_MODULE = None
    _FLOAT_RELU_MODULE = ReLU

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
    ):
        super().__init__(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding, dilation=dilation, groups=groups,
            bias=bias, padding_mode=padding_mode, qconfig=qconfig,
        )

    def forward(self, input):
        return F.relu(self._conv_forward(input, self.weight_fake_quant(self.weight), self.bias))


def update_bn_stats(mod):
    """Lets the running statistics of a layer with a normalization follow the batches: ``model.apply(update_bn_stats)``."""
    if type(mod) in _WITH_NORM:
        mod.update_bn_stats()


def freeze_bn_stats(mod):
    """Keeps the running statistics of a layer with a normalization: ``model.apply(freeze_bn_stats)``."""
    if type(mod) in _WITH_NORM:
        mod.freeze_bn_stats()


_WITH_NORM = {ConvBnReLU1d, ConvBnReLU2d, ConvBnReLU3d, ConvBn1d, ConvBn2d, ConvBn3d}

publish(globals())
