"""Linear map and batch normalization that train with the weight rounded that both have together."""

import rushlight as torch

from ......_library import publish
from ......nn import BatchNorm1d, Linear
from ......nn import functional as F
from ......nn import init
from ......nn.utils.fusion import fuse_linear_bn_weights
from ...modules import fused

__all__ = ["LinearBn1d"]


class LinearBn1d(Linear, fused._FusedModule):
    """A linear map and a batch normalization as one.

    Raises:
        AssertionError: there is no configuration.
    """

    def __init__(
        self, in_features, out_features, bias=True, eps=1e-05, momentum=0.1, freeze_bn=False, qconfig=None
    ) -> None:
        Linear.__init__(self, in_features, out_features, bias)
        if not qconfig:
            raise AssertionError("qconfig must be provided for QAT module")
        self.qconfig = qconfig
        self.freeze_bn = freeze_bn if self.training else True
        self.bn = BatchNorm1d(out_features, eps, momentum, True, True)
        self.weight_fake_quant = self.qconfig.weight()
        if bias:
            self.bias = torch.nn.Parameter(torch.empty(out_features))
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

    def reset_running_stats(self):
        """Forgets the running statistics."""
        self.bn.reset_running_stats()

    def reset_bn_parameters(self):
        """Draws the initial weights of the normalization."""
        self.bn.reset_running_stats()
        init.uniform_(self.bn.weight)
        init.zeros_(self.bn.bias)

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

    def forward(self, input):
        if self.bn.running_var is None:
            raise AssertionError("bn.running_var must not be None")
        # The weight is rounded as both layers have it together; what follows takes the scale away again.
        running_std = torch.sqrt(self.bn.running_var + self.bn.eps)
        factor = self.bn.weight / running_std
        weight_shape = [1] * len(self.weight.shape)
        weight_shape[0] = -1
        bias_shape = [1] * len(self.weight.shape)
        bias_shape[1] = -1
        scaled = self.weight_fake_quant(self.weight * factor.reshape(weight_shape))
        zero_bias = torch.zeros_like(self.bias) if self.bias is not None else torch.zeros(self.out_features, dtype=scaled.dtype)
        out = F.linear(input, scaled, zero_bias) / factor.reshape(bias_shape)
        if self.bias is not None:
            out = out + self.bias.reshape(bias_shape)
        return self.bn(out)

    def train(self, mode=True):
        """As modules do; frozen statistics stay frozen."""
        self.training = mode
        if not self.freeze_bn:
            for module in self.children():
                module.train(mode)
        return self

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a plain linear map and batch normalization, whose parameters it takes."""
        if type(mod) is not fused.LinearBn1d:
            raise AssertionError("qat." + cls.__name__ + ".from_float only works for " + fused.LinearBn1d.__name__)
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        if not mod.qconfig:
            raise AssertionError("Input float module must have a valid config")
        linear, bn = mod[0], mod[1]
        made = cls(linear.in_features, linear.out_features, linear.bias is not None, bn.eps, bn.momentum, False, mod.qconfig)
        made.weight, made.bias = linear.weight, linear.bias
        for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"):
            setattr(made.bn, name, getattr(bn, name))
        return made

    def to_float(self):
        """A plain linear map that does what both layers do."""
        made = Linear(self.in_features, self.out_features)
        bn = self.bn
        made.weight, made.bias = fuse_linear_bn_weights(
            self.weight, self.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
        )
        return made


publish(globals())
