"""Padding."""

from typing import Sequence, Tuple

from ..._library import publish
from ..._rushlight import Tensor
from .. import functional as F
from .module import Module
from .utils import _ntuple, _pair, _quadruple

__all__ = [kind + f"Pad{n}d" for kind in ("Circular", "Constant", "Reflection", "Replication", "Zero") for n in (1, 2, 3)]


class _PadNd(Module):
    """Sizes on both sides of each dimension."""

    __constants__ = ["padding"]
    padding: Sequence[int]

    def extra_repr(self):
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    def _check_input_dim(self, input):
        raise NotImplementedError

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")


class CircularPad1d(_CircularPadNd):
    """Sequences continued from their other end."""

    padding: Tuple[int, int]

    def __init__(self, padding):
        super().__init__()
        self.padding = _pair(padding)

    def _check_input_dim(self, input):
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class CircularPad2d(_CircularPadNd):
    """Images continued from their other end."""

    padding: Tuple[int, int, int, int]

    def __init__(self, padding):
        super().__init__()
        self.padding = _quadruple(padding)

    def _check_input_dim(self, input):
        if input.dim() != 3 and input.dim() != 4:
            raise ValueError(f"expected 3D or 4D input (got {input.dim()}D input)")


class CircularPad3d(_CircularPadNd):
    """Volumes continued from their other end."""

    padding: Tuple[int, int, int, int, int, int]

    def __init__(self, padding):
        super().__init__()
        self.padding = _ntuple(6)(padding)

    def _check_input_dim(self, input):
        if input.dim() != 4 and input.dim() != 5:
            raise ValueError(f"expected 4D or 5D input (got {input.dim()}D input)")


class _ConstantPadNd(Module):
    __constants__ = ["padding", "value"]
    value: float
    padding: Sequence[int]

    def __init__(self, value):
        super().__init__()
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Sequences with a value around them."""

    padding: Tuple[int, int]

    def __init__(self, padding, value):
        super().__init__(value)
        self.padding = _pair(padding)


class ConstantPad2d(_ConstantPadNd):
    """Images with a value around them."""

    padding: Tuple[int, int, int, int]

    def __init__(self, padding, value):
        super().__init__(value)
        self.padding = _quadruple(padding)


class ConstantPad3d(_ConstantPadNd):
    """Volumes with a value around them."""

    padding: Tuple[int, int, int, int, int, int]

    def __init__(self, padding, value):
        super().__init__(value)
        self.padding = _ntuple(6)(padding)


class ZeroPad1d(ConstantPad1d):
    """Sequences with zeros around them."""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Images with zeros around them."""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Volumes with zeros around them."""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class _ReflectionPadNd(_PadNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "reflect")


class ReflectionPad1d(_ReflectionPadNd):
    """Sequences mirrored at their ends."""

    padding: Tuple[int, int]

    def __init__(self, padding):
        super().__init__()
        self.padding = _pair(padding)


class ReflectionPad2d(_ReflectionPadNd):
    """Images mirrored at their edges."""

    padding: Tuple[int, int, int, int]

    def __init__(self, padding):
        super().__init__()
        self.padding = _quadruple(padding)


class ReflectionPad3d(_ReflectionPadNd):
    """Volumes mirrored at their faces."""

    padding: Tuple[int, int, int, int, int, int]

    def __init__(self, padding):
        super().__init__()
        self.padding = _ntuple(6)(padding)


class _ReplicationPadNd(_PadNd):
    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "replicate")


class ReplicationPad1d(_ReplicationPadNd):
    """Sequences whose ends go on."""

    padding: Tuple[int, int]

    def __init__(self, padding):
        super().__init__()
        self.padding = _pair(padding)


class ReplicationPad2d(_ReplicationPadNd):
    """Images whose edges go on."""

    padding: Tuple[int, int, int, int]

    def __init__(self, padding):
        super().__init__()
        self.padding = _quadruple(padding)


class ReplicationPad3d(_ReplicationPadNd):
    """Volumes whose faces go on."""

    padding: Tuple[int, int, int, int, int, int]

    def __init__(self, padding):
        super().__init__()
        self.padding = _ntuple(6)(padding)


publish(globals())
