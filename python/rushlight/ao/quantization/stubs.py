"""Where numbers become quantized in a model, and where they become numbers again."""

from typing import Any, Optional

from ..._library import publish
from ..._rushlight import Tensor
from ...nn import Module

__all__ = ["QuantStub", "DeQuantStub", "QuantWrapper"]


class QuantStub(Module):
    """Gives its input back; conversion makes it quantize, by what its observer has seen."""

    def __init__(self, qconfig: Optional[Any] = None):
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Tensor) -> Tensor:
        return x


class DeQuantStub(Module):
    """Gives its input back; conversion makes it turn quantized numbers into plain ones."""

    def __init__(self, qconfig: Optional[Any] = None):
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Tensor) -> Tensor:
        return x


class QuantWrapper(Module):
    """A module between a :class:`QuantStub` and a :class:`DeQuantStub`."""

    def __init__(self, module: Module):
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.add_module("quant", QuantStub(qconfig))
        self.add_module("dequant", DeQuantStub(qconfig))
        self.add_module("module", module)
        self.train(module.training)

    def forward(self, X: Tensor) -> Tensor:
        X = self.quant(X)
        X = self.module(X)
        return self.dequant(X)


publish(globals())
