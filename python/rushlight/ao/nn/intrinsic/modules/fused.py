"""Layers that run as one: each is a sequence of them, which later steps replace by a single module."""

from ....._library import publish
from .....nn import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    Conv1d,
    Conv2d,
    Conv3d,
    Linear,
    ReLU,
    Sequential,
)

__all__ = [
    "ConvReLU1d", "ConvReLU2d", "ConvReLU3d", "LinearReLU", "ConvBn1d", "ConvBn2d", "ConvBnReLU1d", "ConvBnReLU2d",
    "ConvBn3d", "ConvBnReLU3d", "BNReLU2d", "BNReLU3d", "LinearBn1d", "LinearLeakyReLU", "LinearTanh", "ConvAdd2d",
    "ConvAddReLU2d",
]


def _check(found, kinds):
    """Refuses modules of other kinds than the sequence has."""
    if all(type(module) is kind for module, kind in zip(found, kinds)):
        return
    listed = "".join(str(type(module)) for module in found)
    raise AssertionError("Incorrect types for input modules" + listed)


class _FusedModule(Sequential):
    """A sequence that stands for one layer."""


class ConvReLU1d(_FusedModule):
    """A convolution and a ReLU."""

    def __init__(self, conv, relu):
        _check((conv, relu), (Conv1d, ReLU))
        super().__init__(conv, relu)


class ConvReLU2d(_FusedModule):
    """A convolution and a ReLU."""

    def __init__(self, conv, relu):
        _check((conv, relu), (Conv2d, ReLU))
        super().__init__(conv, relu)


class ConvReLU3d(_FusedModule):
    """A convolution and a ReLU."""

    def __init__(self, conv, relu):
        _check((conv, relu), (Conv3d, ReLU))
        super().__init__(conv, relu)


class LinearReLU(_FusedModule):
    """A linear map and a ReLU."""

    def __init__(self, linear, relu):
        _check((linear, relu), (Linear, ReLU))
        super().__init__(linear, relu)


class ConvBn1d(_FusedModule):
    """A convolution and a batch normalization."""

    def __init__(self, conv, bn):
        _check((conv, bn), (Conv1d, BatchNorm1d))
        super().__init__(conv, bn)


class ConvBn2d(_FusedModule):
    """A convolution and a batch normalization."""

    def __init__(self, conv, bn):
        _check((conv, bn), (Conv2d, BatchNorm2d))
        super().__init__(conv, bn)


class ConvBn3d(_FusedModule):
    """A convolution and a batch normalization."""

    def __init__(self, conv, bn):
        _check((conv, bn), (Conv3d, BatchNorm3d))
        super().__init__(conv, bn)


class ConvBnReLU1d(_FusedModule):
    """A convolution, a batch normalization and a ReLU."""

    def __init__(self, conv, bn, relu):
        _check((conv, bn, relu), (Conv1d, BatchNorm1d, ReLU))
        super().__init__(conv, bn, relu)


class ConvBnReLU2d(_FusedModule):
    """A convolution, a batch normalization and a ReLU."""

    def __init__(self, conv, bn, relu):
        _check((conv, bn, relu), (Conv2d, BatchNorm2d, ReLU))
        super().__init__(conv, bn, relu)


class ConvBnReLU3d(_FusedModule):
    """A convolution, a batch normalization and a ReLU."""

    def __init__(self, conv, bn, relu):
        _check((conv, bn, relu), (Conv3d, BatchNorm3d, ReLU))
        super().__init__(conv, bn, relu)


class BNReLU2d(_FusedModule):
    """A batch normalization and a ReLU."""

    def __init__(self, batch_norm, relu):
        _check((batch_norm, relu), (BatchNorm2d, ReLU))
        super().__init__(batch_norm, relu)


class BNReLU3d(_FusedModule):
    """A batch normalization and a ReLU."""

    def __init__(self, batch_norm, relu):
        _check((batch_norm, relu), (BatchNorm3d, ReLU))
        super().__init__(batch_norm, relu)


class LinearBn1d(_FusedModule):
    """A linear map and a batch normalization."""

    def __init__(self, linear, bn):
        _check((linear, bn), (Linear, BatchNorm1d))
        super().__init__(linear, bn)


class LinearLeakyReLU(_FusedModule):
    """A linear map and a leaky ReLU."""

    def __init__(self, linear, leaky_relu):
        from .....nn import LeakyReLU

        _check((linear, leaky_relu), (Linear, LeakyReLU))
        super().__init__(linear, leaky_relu)


class LinearTanh(_FusedModule):
    """A linear map and a tanh."""

    def __init__(self, linear, tanh):
        from .....nn import Tanh

        _check((linear, tanh), (Linear, Tanh))
        super().__init__(linear, tanh)


class ConvAdd2d(_FusedModule):
    """A convolution to whose result something is added."""

    def __init__(self, conv, add):
        super().__init__(conv)
        self.add = add

    def forward(self, x1, x2):
        """The layer's result."""
        return self.add(self[0](x1), x2)


class ConvAddReLU2d(_FusedModule):
    """A convolution to whose result something is added, and a ReLU."""

    def __init__(self, conv, add, relu):
        super().__init__(conv)
        self.add = add
        self.relu = relu

    def forward(self, x1, x2):
        """The layer's result."""
        return self.relu(self.add(self[0](x1), x2))


publish(globals())
